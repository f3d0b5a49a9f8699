# The columns others script against; the same bytes twice; parts add up to the core loop.
warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 700x500 --gpus 4 --iterations 10 --format tsv >one
warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 700x500 --gpus 4 --iterations 10 --format tsv >two
cmp one two && head -n 1 one | cut -f 1-9
columns solver,config,gpus,kernel_model <one | tail -n 1
columns core_us,core_lo_us,core_hi_us,total_us,kernel_us,transfer_us,sync_us,host_us <one | awk 'NR == 2 {
	print ($2 < $1 && $1 < $3 ? "inside its interval" : $0)
	print ($4 > $1 ? "total is more than core" : $0)
	sum = $5 + $6 + $7 + $8
	print (sum > $1 - 0.01 && sum < $1 + 0.01 ? "parts add up" : $0) }'
