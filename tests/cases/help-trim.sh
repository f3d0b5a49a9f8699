warpreel trim --help
