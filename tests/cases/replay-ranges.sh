# An answer lists the program's NVTX ranges: the first of each name for a reader, all as a table, and all in the trace it writes.
trace=$root/traces/data/h200x4/foreign/gpu_foreign.wrt.zst
warpreel replay "$trace" --platform h200x4 -o predicted.wrt | sed -n '/ranges:/,/--ranges/p' | sed 's/[0-9][0-9]*\.[0-9]/N/g; s/  */ /g'
warpreel replay "$trace" --platform h200x4 --ranges | grep -c '#[0-9]'
warpreel replay "$trace" --platform h200x4 --ranges --format tsv >ranges.tsv
head -n 1 ranges.tsv
awk -F '\t' 'NR > 1 { rows++; good += $6 > 0.5 * $5 && $6 < 1.1 * $5 && $7 < $6 && $6 < $8 && $3 > 0 && $4 > 0 } END { print good " of " rows }' ranges.tsv
# As the core loop a range is as long as in the list.
core=$(warpreel replay "$trace" --platform h200x4 --range work#1 --format tsv | columns core_us | tail -n 1)
warpreel replay "$trace" --platform h200x4 --range work#1 --ranges --format tsv |
	awk -F '\t' -v core="$core" '$1 == "work" && $2 == 1 { d = $6 - core; print (d < 0.001 && d > -0.001 ? "the same" : $6 " not " core) }'
# By thread: the second to begin is the first of its own.
thread=$(awk -F '\t' '$1 == "work" && $2 == 1 { print $4 }' ranges.tsv)
process=$(awk -F '\t' 'NR == 2 { print $3 }' ranges.tsv)
warpreel replay "$trace" --platform h200x4 --range work#0 --range-thread "$thread" --range-process "$process" --format tsv | columns core_us | tail -n 1 |
	awk -v core="$core" '{ print ($1 == core ? "the same" : $1 " not " core) }'
refuses warpreel replay "$trace" --platform h200x4 --range work --range-thread nobody
refuses warpreel replay "$trace" --range-thread 1
refuses warpreel replay "$trace" --ranges --gpus 2
# The predicted trace has them, and can be asked the same questions.
warpreel info --format tsv predicted.wrt | awk -F '\t' '$1 == "range" { print $1, $2, $3 }'
warpreel dump predicted.wrt | awk -F '\t' '$1 == "nvtx"' | wc -l
warpreel export predicted.wrt -o predicted.json && grep -o '"cat":"nvtx"' predicted.json | wc -l
# A run of our own has none.
warpreel replay "$root/traces/data/h200x4/replay/rbsor.wrt.zst" --platform h200x4 --ranges --format tsv | wc -l
