# A signal between GPUs that takes a millisecond makes each of 20 exchanges as late, also where work came later than the signal.
for run in "--size 4096 --gpus 4" "--size 1024 --gpus 2"; do
	warpreel predict rbsor --platform h200x4 $run --iterations 20 --set stream.event_peer_ns=1e6 --format tsv | columns core_us | awk 'NR == 2 { print ($1 > 20000) ? "late" : $1 }'
done
# What the finer measurements were taken beside is no cost.
refuses warpreel predict rbsor --platform h200x4 --size 1024 --set base.host.launch_ns=1
# Another architecture was not measured.
warpreel predict rbsor --platform h200x4 --size 1024 --set sm.isa=sm_80 | grep -o -e HYPOTHETICAL -e "sm.isa = .*)"
warpreel predict rbsor --platform h200x4 --size 1024 --set sm.isa=sm_90 | grep -c HYPOTHETICAL
