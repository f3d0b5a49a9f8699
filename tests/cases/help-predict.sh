warpreel predict --help
