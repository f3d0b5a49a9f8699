warpreel sweep --help
