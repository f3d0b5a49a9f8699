warpreel export --help
