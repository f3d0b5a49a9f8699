warpreel calibrate --help
