#!/bin/sh
# SPDX-License-Identifier: MIT
# Times and recordings of the programs here, on a machine with GPUs and their libraries:
#
#     sh traces/data/programs/measure.sh PAIRS OUT [PROGRAM...]    PAIRS processes untraced and as many recorded, in turn
#
# Wants build/warpreel and the recorder of `make gpu`. Into OUT go what each process printed, its recording, and foreign.tsv: the rows
# `python` of h200x4/foreign.tsv, in which a process counts with the median of its ranges. The recording that is shipped is the one with the median time (of an even number, the faster of the two).
set -eu
pairs=${1:?processes of either kind} out=${2:?output folder}
shift 2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
w=${WARPREEL:-$root/build/warpreel}
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
mkdir -p "$out"
[ $# -gt 0 ] || set -- stencil_cupy training_torch graph_torch streams_torch pipeline_torch all_reduce_torch jit_jax
printf 'set\tprogram\tgpus\twhat\ttraces\tspan\tname\tdevice\tcount\tmeasured_us\tleast_us\tmost_us\tprocesses\ttraced_us\ttraced_least_us\ttraced_most_us\trecordings\tplain_ms\ttraced_plain_ms\n' >"$out/foreign.tsv"
cd "$root"
for program; do
	for pair in $(seq "$pairs"); do
		timeout 300 python3 "traces/data/programs/$program.py" >"$out/$program-untraced-$pair.txt"
		timeout 300 "$w" record -o "$out/$program-$pair.wrt.zst" -- python3 "traces/data/programs/$program.py" >"$out/$program-recorded-$pair.txt"
	done
	gpus=$("$w" dump "$out/$program-1.wrt.zst" | awk -F '\t' '$1 == "kernel" && !seen[$4]++ { n++ } END { print n + 0 }')
	what=$(sed -n '2s/^# \(.*\)\.$/\1/p' "traces/data/programs/$program.py")
	for kind in untraced recorded; do
		# Two processes of a program may print into one line.
		sed 's/SEG/\nSEG/g' "$out/$program-$kind"-*.txt | grep '^SEG' | sed "s/^/$kind /"
	done | awk -v program="$program" -v gpus="$gpus" -v what="$what" "$(cat docs/quantile.awk)"'
		{ for (i = 1; i < NF; i++) { if ($i == "median") us[$1, ++n[$1]] = $(i + 1); if ($i == "n") ranges = $(i + 1) }
		  plain[$1, ++m[$1]] = $(NF - 1); plain[$1, ++m[$1]] = $NF }
		function middle(of, kind, count,    k) { for (k = 1; k <= count; k++) list[k] = of[kind, k] + 0; return quantile(count, 0.5) }
		function times(kind,    half) { half = middle(us, kind, n[kind]); return sprintf("%.1f\t%.1f\t%.1f\t%d", half, list[1], list[n[kind]], n[kind]) }
		END { printf "python\t%s\t%d\t%s%s\t%s\trange\tsegment\t-\t%d\t%s\t%s\t%.2f\t%.2f\n", program, gpus, tolower(substr(what, 1, 1)), substr(what, 2), program, ranges, times("untraced"),
			times("recorded"), middle(plain, "untraced", m["untraced"]), middle(plain, "recorded", m["recorded"]) }' >>"$out/foreign.tsv"
done
