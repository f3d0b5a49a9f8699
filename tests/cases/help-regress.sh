warpreel regress --help
