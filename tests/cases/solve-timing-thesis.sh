# The thesis' way of timing: the result is that of the plain run with the capped factor, on any number of GPUs; parts add up.
plain=$(checksum --size 300 --iterations 20 --omega 1.9)
for options in "--gpus 1" "--gpus 2 --transport host" "--gpus 4 --transport host --border 4" "--gpus 3 --transport peer --kernel paper"; do
	[ "$(checksum --size 300 --iterations 20 --timing thesis $options)" = "$plain" ] && echo "$options: as plain"
done
[ "$(checksum --size 300 --iterations 20)" = "$plain" ] || echo "the optimum is beyond 1.9"
warpreel solve rbsor --size 64 --iterations 8 --gpus 2 --timing thesis | grep -c 'thesis     MKT [0-9.]*  MST [0-9.]*  MTT [0-9.]*  MCT [0-9.]* ms  ET [0-9.]* s'
warpreel solve rbsor --size 64 --iterations 8 --gpus 2 | grep -c 'MKT'
add_up() { awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ n++; if ($at["mkt_ms"] + 0 <= 0 || $at["mtt_ms"] + 0 <= 0 || $at["mtt_ms"] + $at["mst_ms"] > 1.0001 * $at["mct_ms"]) print "does not add up: " $0 } END { print n, "add up" }'; }
# Measured on two GPUs the longest of each part may be of different ones: none is longer than all communication.
warpreel solve rbsor --size 300 --iterations 40 --gpus 2 --border 2 --transport host --timing thesis --format tsv --repeat 1 |
	columns mkt_ms,mst_ms,mtt_ms,mct_ms | awk 'NR > 1 {
		whole = 1.0001 * $4
		if ($1 > 0 && $3 > 0 && $2 <= whole && $3 <= whole) print "parts of communication"; else print "no parts: " $0 }'
# Predicted: the wait for every kernel shows, and the parts add up as well. (Of more GPUs the longest parts are those of
# different ones.)
cat >grid.ini <<'END'
[sweep]
gpus = 2 4
[rbsor]
size = 256 1024
border = 1 4
transport = host
timing = plain thesis
iterations = 8
END
warpreel sweep grid.ini --platform "$platform" --kernel-model roofline
awk -F '\t' '$1 == "point" || ($5 == 2 && /timing=thesis/)' grid.tsv | add_up
columns config,gpus,core_us <grid.tsv | awk -F '\t' '{ thesis = sub(/ timing=thesis/, "", $1); key = $1 $2; us[key, thesis] = $3; seen[key] }
	END { for (key in seen) n += us[key, 1] > us[key, 0]; print n, "are longer" }'
left_behind
