warpreel solve poisson --help
