warpreel papers --help
