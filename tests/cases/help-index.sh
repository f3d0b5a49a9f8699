warpreel index --help
