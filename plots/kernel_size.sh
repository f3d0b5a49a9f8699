#!/bin/sh
# SPDX-License-Identifier: MIT
# Time of each kernel against its size: what was measured, and the models' answers at those sizes and between them.
#   kernel_size.sh WARPREEL PLATFORM KERNELS > kernel_size.tsv
# KERNELS is kernels.tsv of the same folder. A kernel is shown at one block shape, that with the most sizes, if there are four of them; of
# grids the square ones.
# Between the measured sizes, a list of made-up measurements asks `warpreel validate` for its predictions; sizes at which a kernel takes a
# path or a block that was not profiled, or which it does not take, are left out of the curve.
# Columns: panel (from 1), kernel, what (measured, curve), n, us (measured; or of the model warps), roofline_us.
set -eu
warpreel=$1 platform=$2 kernels=$3
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# chosen: panel, solver, kernel, n, measured, config
awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kernel"] != "-" && $at["model"] == "warps" && $at["square"] == "yes" && $at["n"] > 0 {
		kernel = $at["solver"] " " $at["kernel"]; curve = kernel "\t" $at["block"]
		rows++; solver[rows] = $at["solver"]; name[rows] = $at["kernel"]; of[rows] = curve; n[rows] = $at["n"]
		us[rows] = $at["measured_us"]; config[rows] = $at["config"]
		if (++sizes[curve] > most[kernel]) { most[kernel] = sizes[curve]; best[kernel] = curve }
	}
	END {
		for (r = 1; r <= rows; r++) {
			kernel = solver[r] " " name[r]
			if (best[kernel] == of[r] && most[kernel] >= 4)
				print solver[r], name[r], n[r], us[r], config[r]
		}
	}' "$kernels" | LC_ALL=C sort -t "$(printf '\t')" -k1,1r -k2,2 -k3,3n |
	awk -F '\t' -v OFS='\t' '{ if ($1 $2 != before) panel++; before = $1 $2; print panel, $0 }' >"$scratch/chosen"

# asked: sizes a factor of two apart; of sides, which make squares, about 1.4. The last word of a configuration holds.
awk -F '\t' -v OFS='\t' '
	function ask(panel, solver, config, n) { print panel, n, solver, config " size=" n, 1, 0 }
	function power_of_two(n) { while (n > 1 && n % 2 == 0) n /= 2; return n == 1 }
	function curve(    n, edge) {
		edge = power_of_two(least - 2) ? 2 : 0 # the boundary of a grid
		for (n = least - edge; n < most - edge; n *= 2) {
			ask(panel, solver, config, n + edge)
			if (most / least <= 1000)
				ask(panel, solver, config, n * 1.5 + edge)
		}
		ask(panel, solver, config, most)
	}
	BEGIN { print "panel", "n", "solver", "config", "median_ns", "mad_ns" }
	$1 != panel { if (panel) curve(); panel = $1; solver = $2; config = $6; least = $4 }
	{ most = $4 }
	END { if (panel) curve() }' "$scratch/chosen" | awk '!seen[$0]++' >"$scratch/made_up"
# Sizes that a kernel does not take are left out one by one; a kernel that takes none of them would be a mistake of this script.
{
	read -r header
	printf '%s\n' "$header"
	while IFS= read -r line; do
		printf '%s\n%s\n' "$header" "$line" | "$warpreel" columns --of canonical - 2>/dev/null | awk -F '\t' -v OFS='\t' 'NR > 1 { $4 = $7; NF = 6; print }'
	done
} <"$scratch/made_up" | awk -F '\t' '!seen[$3, $4]++' >"$scratch/asked"
awk -F '\t' 'FNR == 1 { file++ } file == 1 { asked[$1] } file == 2 && !($1 in asked) { print "kernel_size.sh: no size for " $2 " " $3; bad = 1; exit } END { exit bad }' \
	"$scratch/asked" "$scratch/chosen" >&2
"$warpreel" validate --platform "$platform" --only kernels --kernels "$scratch/asked" -o "$scratch/answers" >/dev/null

awk -F '\t' -v OFS='\t' '
	FNR == 1 { file++ }
	BEGIN { print "panel", "kernel", "what", "n", "us", "roofline_us" }
	file == 1 { label = ($2 == "micro" ? "" : $2 " ") $3; kernel[$1] = label; print $1, label, "measured", $4, $5, "NaN"; next }
	file == 2 { panel[$3, $4] = $1; n[$3, $4] = $2; next }
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		key = $at["solver"] SUBSEP $at["config"]
		if ($at["model"] == "warps" && !$at["extrapolated"]) warps[key] = $at["predicted_us"]
		if ($at["model"] == "roofline" && key in warps) print panel[key], kernel[panel[key]], "curve", n[key], warps[key], $at["predicted_us"]
	}' "$scratch/chosen" "$scratch/asked" "$scratch/answers" | { IFS= read -r header; printf '%s\n' "$header"; LC_ALL=C sort -t "$(printf '\t')" -k1,1n -k3,3 -k4,4n; }
