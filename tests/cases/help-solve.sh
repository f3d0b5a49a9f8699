warpreel solve --help
