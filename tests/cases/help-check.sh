warpreel check --help
