warpreel bench --help
