warpreel solve shape --help
