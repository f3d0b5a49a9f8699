warpreel solve mlssor --help
