warpreel solve patches --help
