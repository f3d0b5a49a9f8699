# Small answers that said too little.
refuses warpreel predict rbsor --platform h200x4 --size 512 --set device.memory_bytes=1000000
for set in host.queue_depth=1e18 host.queue_depth=1.5 sm.warp_slots=1e9 sm.block_slots=70000; do
	refuses warpreel predict rbsor --platform h200x4 --size 512 --set $set
done
for set in "host.launch_ns=5" "host.launch_ns= 5" "host.launch_ns =5" "	host.launch_ns = 5 "; do
	warpreel predict rbsor --platform h200x4 --size 512 --set "$set" --format tsv
done | sort | uniq -c | wc -l
refuses warpreel predict rbsor --platform h200x4 --size 512 -o -
mkdir alone && cp "${warpreel:?}" alone/moved
refuses alone/moved predict rbsor --size 512
WARPREEL_ROOT=$root alone/moved predict rbsor --size 512 --format tsv | columns solver | tail -n 1
predicted one.wrt --gpus 2
warpreel export one.wrt -o one.json
grep -c '"registers":0' one.json
grep -c '"process_sort_index"' one.json
left_behind
