warpreel replay --help
