warpreel record --help
