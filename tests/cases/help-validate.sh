warpreel validate --help
