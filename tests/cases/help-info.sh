warpreel info --help
