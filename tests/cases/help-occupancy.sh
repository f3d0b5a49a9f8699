warpreel occupancy --help
