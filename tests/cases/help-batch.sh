warpreel batch --help
