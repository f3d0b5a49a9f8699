warpreel --help
