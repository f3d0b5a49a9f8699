#!/bin/sh
# SPDX-License-Identifier: MIT
# make demo: what the shipped data can show without a GPU. Replays the recorded runs of a platform, predicts 2, 4 and 8 GPUs of one that has
# eight, sets measurements beside both where there are some, draws the figures. Wants WARPREEL, BUILD, PLATFORM and MAKE from the Makefile.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
data=traces/data/$PLATFORM
eight=h200x8
table=$BUILD/demo.tsv
part=$BUILD/demo.part
if [ ! -f "model/platforms/$PLATFORM.ini" ] || [ ! -d "$data" ]; then
	echo "make demo: there is no data of platform '$PLATFORM' under traces/data and model/platforms" >&2
	exit 1
fi
began=$(date +%s)
# The figures, and what they are drawn from, meanwhile: more of them than cores, since some wait for the longest, the validation.
# Those of whole runs of rbsor: kernels alone, the ablation, papers and lmsor take as long again.
$MAKE --no-print-directory -j"$((2 * $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)))" plots FIGURES_LEFT_OUT="kernels kernel_size stalls ablation papers_000 papers_002 papers_004" PLATFORM="$PLATFORM" BUILD="$BUILD" \
	PLOT_DIR="$BUILD/demo" VALIDATION="$BUILD/demo/validation.tsv" >"$BUILD/demo.log" 2>&1 &
figures=$!

# row WHAT PLATFORM COMMAND...: the answer of a predicting command as a row of the table, its first columns WHAT and PLATFORM.
row() {
	what=$1 machine=$2
	shift 2
	"$WARPREEL" "$@" --platform "$machine" --format tsv >"$part"
	awk -F '\t' -v OFS='\t' -v what="$what" -v platform="$machine" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print what, platform, $at["gpus"], $at["core_us"], $at["core_lo_us"], $at["core_hi_us"], $at["extrapolated"], "rbsor", $at["config"] }' "$part" >>"$part.rows"
}

printf 'what\tplatform\tgpus\tcore_us\tcore_lo_us\tcore_hi_us\textrapolated\tsolver\tconfig\n' >"$part.rows"
# The short runs of each recorded trace whose transport is the default or that are as large as 4096: a table to be read, not all of them.
for trace in "$data"/replay/*.wrt.zst; do
	[ -f "$trace" ] || continue
	"$WARPREEL" info --format tsv "$trace" | awk -F '\t' -v OFS='\t' 'BEGIN { print "run", "gpus", "solver", "config" }
		$1 == "run" { at = index($8, " "); print $2, $3, substr($8, 1, at - 1), substr($8, at + 1) }' |
		"$WARPREEL" columns --of precision,kernel,scheme,border,iterations - |
		awk -F '\t' '$3 == "rbsor" && $5 " " $6 " " $7 " " $8 " " $9 == "f32 tuned exact 1 20" { print $1 }' >"$part.runs"
	while read -r run; do
		row replayed "$PLATFORM" replay "$trace" --run "$run"
	done <"$part.runs"
done
for size in 1024 4096 16384; do
	for transport in peer host; do
		for gpus in 2 4 8; do
			row predicted "$eight" predict rbsor --size "$size" --transport "$transport" --gpus "$gpus" --iterations 100
		done
	done
done

"$WARPREEL" columns --of size,transport,iterations "$part.rows" >"$table"

# Medians over visits of what was measured, by configuration and GPU count, beside the answers.
set -- "traces/data/$eight/measured.tsv"
[ "$PLATFORM" = "$eight" ] || set -- "$@" "$data/measured.tsv"
awk -F '\t' -v table="$table" '
	function median(text,    n, value, i, j, swap) {
		n = split(text, value, " ")
		for (i = 1; i <= n; i++)
			for (j = i + 1; j <= n; j++)
				if (value[j] + 0 < value[i] + 0) { swap = value[i]; value[i] = value[j]; value[j] = swap }
		return n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2
	}
	FILENAME != table {
		if ($1 == "solver") { for (i = 1; i <= NF; i++) at[$i] = i; split(FILENAME, folder, "/"); next }
		key = folder[3] " " $at["gpus"] " " $at["config"]
		seen[key] = seen[key] " " $at["core_us"]
		next
	}
	FNR == 1 { next }
	$1 != last {
		printf "\nred-black SOR, %s on %s; core loop in us, 90 %% interval, error against untraced measurements\n", $1, $2
		printf "\n%-9s %4s  %-13s %-5s %5s %12s %25s %12s %8s\n", "", "GPUs", "size", "via", "iter.", "answer", "interval", "measured", "error"
	}
	{
		key = $2 " " $3 " " $9
		real = key in seen ? median(seen[key]) : 0
		last = $1
		printf "%-9s %4d  %-13s %-5s %5d %12.1f %12.1f %12.1f %12s %8s%s\n", $1, $3, $10, ($3 > 1 ? $11 : "-"), $12,
			$4, $5, $6, real ? sprintf("%.1f", real) : "-", real ? sprintf("%+.1f %%", 100 * ($4 - real) / real) : "-",
			$7 + 0 ? "  extrapolated" : ""
	}' "$@" "$table"
rm -f "$part" "$part.runs" "$part.rows"

echo
wait "$figures" || { cat "$BUILD/demo.log" >&2; exit 1; }
rm -f "$BUILD/demo.log"
echo
echo "Figures are in $BUILD/demo (all there are, of all solvers and kernels: make plots), the table in $BUILD/demo.tsv. $(($(date +%s) - began)) s."
