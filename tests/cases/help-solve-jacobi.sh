warpreel solve jacobi --help
