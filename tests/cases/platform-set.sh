# --set changes one value; what it does not know, or what makes no sense, is refused by name.
core() { warpreel predict rbsor --platform "$platform" --kernel-model zero --size 512 --iterations 50 --format tsv "$@" | columns core_us | tail -n 1; }
slow=$(core --set host.launch_ns=9000)
awk -v a="$(core)" -v b="$slow" 'BEGIN { print (b > 2 * a ? "dearer launches, longer run" : "a " a " b " b) }'
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch=9000
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns=-1
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns=much
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set =1
# A factor of what is there, also by the names people think in; of what is not there, nothing.
rates() { warpreel predict rbsor --platform h200x4 --size 4096 --iterations 4 --format tsv "$@" | columns core_us; }
[ "$(rates --set device.dram_gb_per_s=2x)" = "$(rates --set sm.dram_read_bytes_per_s=2x --set sm.dram_write_bytes_per_s=2x)" ] && echo "a factor of both rates"
refuses warpreel predict rbsor --platform h200x4 --size 512 --set host.post_ns=2x
