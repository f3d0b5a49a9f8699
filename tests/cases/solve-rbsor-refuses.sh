# What kernels of red-black SOR cannot do is refused by name, before anything is made.
refuses warpreel solve rbsor --backend cpu --gpus 4 --partition 2x2
refuses warpreel solve rbsor --backend cpu --gpus 4 --partition 3x2 --kernel fused
refuses warpreel solve rbsor --backend cpu --partition 0x1 --kernel fused
refuses warpreel solve rbsor --backend cpu --gpus 2 --kernel persistent
refuses warpreel solve rbsor --backend cpu --kernel persistent --size 9000
refuses warpreel solve rbsor --backend cpu --kernel fused --scheme thesis
refuses warpreel solve rbsor --backend cpu --kernel temporal --depth 9
refuses warpreel solve rbsor --backend cpu --gpus 4 --partition 1x4 --kernel temporal --size 64x14 --border 2
refuses warpreel solve rbsor --backend cpu --indices blocks
refuses warpreel solve rbsor --backend cpu --gpus 4 --partition 2x2 --kernel paper --indices branch
refuses warpreel solve rbsor --backend cpu --kernel texture --sync graph
refuses warpreel solve rbsor --backend cpu --gpus 2 --kernel store --border 2
refuses warpreel solve rbsor --backend cpu --gpus 2 --kernel store --transport host
refuses warpreel solve rbsor --backend cpu --gpus 4 --kernel store --partition 2x2
refuses warpreel predict rbsor --kernel store --scheme thesis
