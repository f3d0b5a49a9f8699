warpreel platforms --help
