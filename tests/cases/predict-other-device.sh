# Devices nobody recorded a kernel on: durations of another device are refused, the device's inside answers unasked and a roofline when asked.
for platform in c1060 gtx480 c2050 x2090 a100 h100 b200 h100x1; do
	refuses warpreel predict rbsor --platform $platform --kernel-model scaled --size 1024 --iterations 10
	for model in "" "--kernel-model roofline"; do
		warpreel predict rbsor --platform $platform $model --size 1024 --iterations 10 --format tsv >answer.tsv
		columns kernel_model,extrapolated <answer.tsv | tail -n 1
		columns core_us,core_lo_us,core_hi_us <answer.tsv | awk 'NR == 2 { if (model != "" && $2 < 0.9 * $1 && $3 > 1.5 * $1) print "as wide as rooflines err"; else printf "%s between %.2f and %.2f of it\n", ($1 > 0 ? "an answer" : "nothing"), $2 / $1, $3 / $1 }' model="$model"
	done
done
# One file with more GPUs of the recorded device does take its durations, when asked or given.
for model in "" "--kernel-model scaled" "--profile ${root:?}/traces/data/h200x4/profile/rbsor.wrt.zst"; do
	warpreel predict rbsor --platform h200x8 $model --size 1024 --iterations 10 --format tsv | columns kernel_model,extrapolated | tail -n 1
done
