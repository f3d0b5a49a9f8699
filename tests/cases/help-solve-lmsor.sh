warpreel solve lmsor --help
