warpreel columns --help
