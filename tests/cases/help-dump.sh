warpreel dump --help
