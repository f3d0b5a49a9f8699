# Where no platform is asked for: the device and the number of GPUs choose, and it is said; --platform overrules.
said() { "$@" 2>&1 | grep 'since none was asked for\|^rbsor on\|has .* GPUs'; }
said warpreel predict rbsor --size 1024 --gpus 2 --iterations 10
said warpreel predict rbsor --size 1024 --gpus 8 --iterations 10
said warpreel predict rbsor --size 1024 --gpus 2 --iterations 10 --platform h200x8
said warpreel predict rbsor --size 1024 --gpus 9 --iterations 10
platform() { warpreel "$@" --format tsv 2>&1 | columns platform | tail -n 1; }
platform replay "${root:?}/traces/data/h200x8/replay/runs.wrt.zst"
platform replay "${root:?}/traces/data/h200x4/replay/rbsor.wrt.zst"
platform replay "${root:?}/traces/data/h200x4/replay/rbsor.wrt.zst" --gpus 8
platform replay "${root:?}/traces/data/h200x8/replay/runs.wrt.zst" --platform h200x4 --allow-extrapolation
# Host, links and device are choices of their own; records and profiles are the device's.
platform predict rbsor --size 1024 --iterations 10 --host h200x8 --gpus 8
platform predict rbsor --size 1024 --iterations 10 --device h100x1
refuses warpreel predict rbsor --size 1024 --iterations 10 --host h100x1 --gpus 2
core() { warpreel predict rbsor --format tsv --size 1024 --gpus 4 "$@" | columns core_us | tail -n 1; }
[ "$(core --platform h200x8 --host h200x4 --device h200x4)" = "$(core --platform h200x4)" ] && echo "host and device of one machine are that machine"
