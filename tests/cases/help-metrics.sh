warpreel metrics --help
