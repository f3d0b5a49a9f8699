warpreel predict rbsor --platform "$platform" --kernel-model zero --size 512 --gpus 2 --iterations 10
