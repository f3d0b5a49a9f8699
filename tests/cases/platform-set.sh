# --set changes one value; what it does not know, or what makes no sense, is refused by name.
core() { warpreel predict rbsor --platform "$platform" --kernel-model zero --size 512 --iterations 50 --format tsv "$@" | columns core_us | tail -n 1; }
slow=$(core --set host.launch_ns=9000)
awk -v a="$(core)" -v b="$slow" 'BEGIN { print (b > 2 * a ? "dearer launches, longer run" : "a " a " b " b) }'
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch=9000
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns=-1
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set host.launch_ns=much
refuses warpreel predict rbsor --platform "$platform" --kernel-model zero --set =1
