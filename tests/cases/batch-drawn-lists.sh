# Lists that say a seed are what that seed draws, the solvers take every row, and each row has its answer, written as it is there.
data=$root/traces/data
for list in "$data"/lists/two_*_blind.list "$data"/lists/four_*_blind.list "$data"/lists/eight_*_blind.list; do
	from=$(basename "$list" _blind.list)
	said=$(sed -n '1s/.*(draw_gpus.sh \([0-9a-z ]*\)).*/\1/p' "$list")
	# shellcheck disable=SC2086 # several words
	cat "$data/lists/two_ways_blind.list" "$data/lists/two_lmsor_blind.list" "$data/lists/two_jacobi_blind.list" |
		sh "$data/draw_gpus.sh" $said >drawn
	grep -v '^#' "$list" | cmp - drawn && echo "$from: $said: as drawn"
done
for list in ways nccl lmsor jacobi; do
	grep -v '^#' "$data/lists/two_${list}_blind.list"
done >rows
awk -F '\t' 'NR > 1 { print $1, $3, $2 }' "$data/h200x4/two_predicted.tsv" | cmp rows - && echo "answered: $(wc -l <rows)"
awk -F '\t' 'NR == FNR { row[$0] = 1; next } $5 == "blind" { delete row["rbsor " $3 " " $4]; delete row["lmsor " $3 " " $4]
	delete row["jacobi " $3 " " $4] } END { for (r in row) print "in no split: " r }' rows "$root/model/splits.tsv"
sh "$data/draw_gpus.sh" 7 nothing 3
sh "$data/draw_gpus.sh" 11 ways 30 >more.list
while read -r solver gpus config; do
	# shellcheck disable=SC2046 # several words
	"$warpreel" predict "$solver" --gpus "$gpus" --kernel-model zero $(printf -- '--%s ' $config | tr '=' ' ') --platform h200x4 >said 2>&1 ||
		{ echo "$config"; head -n 1 said; }
	grep -q -F "$config" said || echo "written otherwise: $config"
done <more.list
