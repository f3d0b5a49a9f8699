warpreel compare --help
