# Without the CUDA library: what is missing, and how to get it.
export WARPREEL_CUDA=nothing.so
refuses warpreel solve rbsor --backend cuda --size 64
refuses warpreel calibrate -o platform.ini
echo 'not a library' >nothing.so
refuses warpreel solve rbsor --backend cuda --size 64
rm nothing.so
left_behind
