# No size in between may be refused: kernels have other paths at some, and all of them are profiled.
answered() { warpreel predict "$@" --platform h200x4 --iterations 3 --format tsv | columns kernel_model,extrapolated | tail -n 1; }
for n in 34 402 1102 1202 1502 1802 2502; do
	for kernel in 1 2 3 tuned1 tuned2 tuned3 tuned4; do
		for check in every 1000; do
			answered lmsor --size $n --kernel $kernel --check $check
		done
	done
	for precision in f32 f64; do
		answered rbsor --size $n --precision $precision --gpus 2
	done
done | sort | uniq -c | awk '{ print $1, $2, $3 }'
