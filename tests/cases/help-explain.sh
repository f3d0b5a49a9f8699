warpreel explain --help
