warpreel grid --help
