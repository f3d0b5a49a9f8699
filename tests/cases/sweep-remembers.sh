# What is remembered from point to point is what each point says alone: middle GPUs, and runs that differ in how they exchange, share launches.
cat >grid.ini <<'END'
[sweep]
platform = h200x4
gpus = 1 4
[rbsor]
size = 640 643x700
transport = host peer
iterations = 6
END
warpreel sweep grid.ini
warpreel sweep grid.ini --jobs 1 -o one.tsv && cmp grid.tsv one.tsv && echo "one process says the same"
columns config,gpus,core_us,core_lo_us,total_us <grid.tsv | tail -n +2 | while IFS='	' read -r config gpus us lo total; do
	options=$(echo "$config" | sed 's/\([a-z-]*\)=\([^ ]*\)/--\1 \2/g')
	alone=$(warpreel predict rbsor --platform h200x4 --gpus "$gpus" $options --format tsv | columns core_us,core_lo_us,total_us | tail -n 1)
	[ "$alone" = "$us	$lo	$total" ] && echo "as alone" || echo "not as alone: $config on $gpus: $us $lo $total, $alone"
done | sort | uniq -c | sed 's/^ *//'
