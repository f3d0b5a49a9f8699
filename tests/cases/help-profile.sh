warpreel profile --help
