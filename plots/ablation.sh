#!/bin/sh
# SPDX-License-Identifier: MIT
# How wrong the model `warps` becomes on development rows of the kernels set when a part of the device costs nothing, part by part.
#   ablation.sh WARPREEL PLATFORM KERNELS SPLITS LIST > ablation.tsv
# KERNELS is traces/data/<platform>/kernels.tsv, SPLITS model/splits.tsv, of which no kernel counts that has a line there; of the others those that LIST names: all kernels, each at a few
# sizes. Columns: row (from 0: the whole model), part, summary, n, mape, max (%).
set -eu
warpreel=$1 platform=$2 kernels=$3 splits=$4 list=$5
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

awk -F '\t' 'FILENAME == ARGV[1] { if ($2 == "kernels") held[$4]; next } FILENAME == ARGV[2] { if (sub(/^[a-z]+ [0-9]+ /, "")) named[$0]; next }
	/^#/ || !header++ || ($2 in named && !($2 in held))' "$splits" "$list" "$kernels" >"$scratch/some"
# The parts are those that explain lifts.
"$warpreel" explain micro --platform "$platform" --kernel copy4 --size 1024 |
	sed -n 's/^  ideal \([^ ]*\) .* us  *[-+0-9.]* %   \(.*\)$/\1	\2/p' >"$scratch/parts"
printf 'row\tpart\tsummary\tn\tmape\tmax\n'
# Each part is a process of its own, as many at a time as there are cores; rows come in the order of the parts.
row=0
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
while IFS="$(printf '\t')" read -r part summary; do
	if [ "$part" = nothing ]; then
		summary='the model as it is'
		set --
	else
		set -- --ideal "$part"
	fi
	{
		"$warpreel" validate --platform "$platform" --only kernels --jobs 1 --kernels "$scratch/some" "$@" --summary "$scratch/summary.$row" >/dev/null
		awk -v row=$row -v part="$part" -v summary="$summary" '
			BEGIN { FS = OFS = "\t" }
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["model"] == "warps" && $at["split"] == "development" { print row, part, summary, $at["n"], $at["MAPE_pct"], $at["max_pct"]; rows++ }
			END { exit rows != 1 }' "$scratch/summary.$row" >"$scratch/row.$row"
	} &
	row=$((row + 1))
	[ $((row % cores)) -gt 0 ] || wait
done <"$scratch/parts"
wait
for k in $(seq 0 $((row - 1))); do
	[ -s "$scratch/row.$k" ] || exit 1
	cat "$scratch/row.$k"
done
