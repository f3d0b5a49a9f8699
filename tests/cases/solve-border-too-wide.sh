# 2b halo rows must fit in a strip: the message says how many there are.
refuses warpreel solve rbsor --backend cpu --size 66 --gpus 8 --border 5
refuses warpreel solve rbsor --backend cpu --size 66 --gpus 8 --border 9 --scheme thesis
refuses warpreel predict rbsor --platform "$platform" --size 66 --gpus 8 --border 5
refuses warpreel solve rbsor --backend cpu --size 10 --gpus 64
