#!/bin/sh
# SPDX-License-Identifier: MIT
# Figure 9's search (papers/000.md) as profiles that ship answer it: rows for h200x4/papers_000_search.tsv.
#
#     sh traces/data/search_forms.sh > rows.tsv
#
# The configurations and what they took are those of its rows `counters`. how: `ships` as played, `ships-timed` with launches timed
# alone; `efficiency` and `utilization` are the reciprocals of the measures (10) and (11) of Di et al., of blocks that were counted.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
w=${WARPREEL:-$root/build/warpreel} data=$root/traces/data/h200x4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -n 1 "$data/kernels.tsv" >"$work/kernels.tsv"
grep -v '^#' "$data/papers_000_search.tsv" | awk -F '\t' -v OFS='\t' '
	$5 != "counters" { next }
	{
		split($1, words, " ")
		for (k in words) { split(words[k], pair, "="); of[pair[1]] = pair[2] }
		side = of["subdomain"] + 0
		stem = "mlssor_" of["kernel"] "_" of["form"] (of["form"] ~ /unrolled|both/ ? side : "") "_"
		print "mlssor", $1, stem "11," stem "12," stem "21," stem "22", side * 1001, "1x1x1", of["threads"] "x1x1", 4, $2 * 1000, 0, $2 * 1000,
			$2 * 1000, 10, 1980, "BY", "2026-11-23", "cuda"
	}' >>"$work/kernels.tsv"
"$w" validate --platform h200x4 --only kernels --kernels "$work/kernels.tsv" -o "$work/rows.tsv" >/dev/null
awk -F '\t' -v OFS='\t' '
	NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
	$at["model"] == "warps" { print $at["config"], $at["measured_us"], $at["predicted_us"], 0, "ships" }
	$at["model"] == "warps-timed" { print $at["config"], $at["measured_us"], $at["predicted_us"], 0, "ships-timed" }' "$work/rows.tsv"
"$w" metrics --profile "$data/kernels/mlssor_full.wrt.zst" --profile "$data/kernels/mlssor_rows.wrt.zst" \
	--profile "$data/kernels/mlssor_rows_both.wrt.zst" --platform h200x4 --format tsv | awk -F '\t' -v OFS='\t' '
	FNR == NR { if (FNR == 1) { for (k = 1; k <= NF; k++) at[$k] = k; next }
		key = $at["kernel"] FS $at["path"] FS $at["block"]
		instructions[key] = 1 / $at["efficiency"]
		utilization[key] = $at["utilization"]
		next }
	FNR > 1 {
		efficiency = busy = 0
		count = split($3, kernel, ",")
		for (k = 1; k <= count; k++) {
			key = kernel[k] FS $4 FS $6
			if (!(key in instructions)) next
			efficiency += instructions[key] / count
			busy += utilization[key] / count
		}
		print $2, $8 / 1000, efficiency, 0, "efficiency"
		print $2, $8 / 1000, 1 / busy, 0, "utilization"
	}' - "$work/kernels.tsv"
