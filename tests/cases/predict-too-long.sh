# What takes longer than picoseconds can be counted is refused, never answered.
refuses warpreel predict rbsor --gpus 2 --transport host --set share.d2h.bytes_per_s=1e-6
refuses warpreel predict rbsor --size 1024 --gpus 8 --platform h200x8 --set share.h2d.bytes_per_s=7
refuses warpreel predict rbsor --size 1024 --kernel-model roofline --set memory.copy_bytes_per_s=1e-3
refuses warpreel predict rbsor --size 1024 --iterations 1000 --set host.launch_ns=1e12
refuses warpreel predict rbsor --size 1024 --set host.launch_ns=1e15
refuses warpreel predict rbsor --size 1024 --set host.call_quantiles=1e5
# Nor clocks that no cycle can be counted of.
refuses warpreel predict rbsor --platform h200x4 --size 256 --set sm.clock_mhz=1e308
refuses warpreel predict rbsor --platform h200x4 --size 256 --set sm.issue_interval=1e300
