#!/bin/sh
# SPDX-License-Identifier: MIT
# What the warps of each kernel wait for, by the model `warps`, at the largest size that was measured.
#   stalls.sh WARPREEL PLATFORM KERNELS > stalls.tsv
# KERNELS is kernels.tsv of the same folder; kernels measured at four sizes or more. Columns: row (from 1), kernel, reason (its number), name, percent of
# the warps' time, us (of the launch).
set -eu
warpreel=$1 platform=$2 kernels=$3
printf 'row\tkernel\treason\tname\tpercent\tus\n'
awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kernel"] != "-" && $at["model"] == "warps" {
		key = $at["solver"] OFS $at["kernel"]
		sizes[key]++
		size = $at["n"] == "-" ? $at["measured_us"] : $at["n"] # sets of patches have no side: the longest
		if (size + 0 > most[key] + 0) { most[key] = size; config[key] = $at["config"] }
	}
	END { print "solver", "measured", "config"; for (key in sizes) if (sizes[key] >= 4) print key, config[key] }' "$kernels" |
"$warpreel" columns --of options - | tail -n +2 | LC_ALL=C sort -t "$(printf '\t')" -k1,1r -k2,2 | {
	row=0
	while IFS="$(printf '\t')" read -r solver kernel _ options; do
		# What launches kernels besides that nobody profiled has no bar.
		# shellcheck disable=SC2086 # words
		answer=$("$warpreel" explain "$solver" --no-bounds --platform "$platform" --format tsv $options) || continue
		row=$((row + 1))
		printf '%s\n' "$answer" |
			awk -v row=$row -v kernel="$(test "$solver" = micro || echo "$solver ")$kernel" '
				BEGIN { FS = OFS = "\t" }
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$at["what"] == "stall" && $at["part"] in seen { exit } # the next launch
				$at["what"] == "stall" { seen[$at["part"]]; print row, kernel, ++reason, $at["part"], $at["percent"], $at["us"] }'
	done
}
