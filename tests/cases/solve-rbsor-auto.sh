# The kernel that simulates as the fastest is named, of those that the other options allow, and gives the bits of any other.
checksum() { grep -o 'checksum [0-9a-f]*'; }
warpreel solve rbsor --size 70 --iterations 9 --kernel auto 2>&1 | grep -o 'of 11 ways the fastest on h200x4'
warpreel solve rbsor --size 70 --iterations 9 --kernel auto --gpus 2 --scheme thesis 2>&1 | grep -o 'of 1 ways the fastest on h200x4'
warpreel solve rbsor --size 70 --iterations 9 --kernel auto --gpus 4 --partition 2x2 --border 3 2>&1 | grep -o 'of 2 ways the fastest on h200x4'
one=$(warpreel solve rbsor --size 70 --iterations 9 | checksum)
two=$(warpreel solve rbsor --size 70 --iterations 9 --kernel auto 2>/dev/null | checksum)
[ "$one" = "$two" ] && echo "the same bits"
warpreel predict rbsor --platform c2050 --size 70 --iterations 9 --kernel auto --kernel-model roofline 2>&1 | grep -o 'of 11 ways the fastest on c2050'
# Nobody is asked in a list, nor of what no kernel allows.
echo 'rbsor 1 size=70 kernel=auto' >one.list
refuses warpreel batch one.list --backend cpu
refuses warpreel solve rbsor --size 70 --kernel auto --partition 2x2 --gpus 4 --scheme thesis
