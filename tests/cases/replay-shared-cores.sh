# A recording with looks at the host's cores is answered for as many shared ones as there were, or as asked; without looks as it was recorded.
replay() { warpreel replay --platform h200x4 --range 'look 1' "$@" 2>&1 | grep "core loop  \|other thread\|shared_cores'"; }
foreign=$root/traces/data/h200x4/foreign
replay "$foreign/burger_512.wrt.zst"
replay "$foreign/burger_512.wrt.zst" --set host.shared_cores=0
replay "$foreign/burger_512.wrt.zst" --set host.shared_cores=1
replay "$foreign/burger_512.wrt.zst" --set host.shared_cores=1.5
replay "$foreign/laplace3d_256.wrt.zst"
warpreel info "$foreign/burger_512.wrt.zst" | grep WARPREEL_CORE
