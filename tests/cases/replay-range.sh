# A foreign program's NVTX ranges as its core loop: between the whole and nothing, its parts add up, and what cannot be is said.
trace=$root/traces/data/h200x4/foreign/gpu_foreign.wrt.zst
warpreel replay "$trace" --platform h200x4 --range work 2>&1 | grep -v -E '^  (core loop|total) |GPU [0-9]|^    '
whole=$(warpreel replay "$trace" --platform h200x4 --format tsv | columns core_us | tail -n 1)
warpreel replay "$trace" --platform h200x4 --range work --format tsv | columns core_us,kernel_us,transfer_us,sync_us,host_us,total_us | tail -n 1 |
	awk -v whole="$whole" '{ sum = $2 + $3 + $4 + $5; print ($1 > 10000 && $1 < 60000 && $6 > 4 * $1 && $6 > 0.99 * whole && $6 < 1.01 * whole ? "a part of the whole" : $0 " of " whole)
		print (sum > 0.999 * $1 && sum < 1.001 * $1 ? "adds up" : $0) }'
refuses warpreel replay "$trace" --platform h200x4 --range nothing
refuses warpreel replay "$trace" --platform h200x4 --range work#9
two=$root/traces/data/h200x4/foreign/single_threaded_copy_2048.wrt.zst
core() { warpreel replay "$two" --platform h200x4 --format tsv "$@" 2>/dev/null | columns core_us | tail -n 1; }
echo "$(core --range 'Jacobi solve#0') $(core --range 'Jacobi solve#-1') $(core --range 'Jacobi solve#all')" |
	awk '{ print ($1 > 0 && $2 > 0 && $1 + $2 < 1.001 * $3 ? "one and the other are no more than all" : $0) }'
many=$root/traces/data/h200x4/foreign/nccl_4096.rank0.wrt.zst
refuses warpreel replay "$many" --platform h200x4 --range NCCL_LAUNCH
refuses warpreel replay "$tests/cases/lib/foreign.wrt.zst" --range step
refuses warpreel replay "$root/traces/data/h200x4/replay/rbsor.wrt.zst" --range step
refuses warpreel replay "$trace" --range work --gpus 2
warpreel info --format tsv "$trace" | awk -F '\t' '$1 == "range" { print $1, $2, $3 }'
