#!/bin/sh
# SPDX-License-Identifier: MIT
# Time of each kernel against its size: what was measured, and the models' answers at those sizes and between them.
#   kernel_size.sh WARPREEL PLATFORM KERNELS > kernel_size.tsv
# KERNELS is kernels.tsv of the same folder. A kernel is shown at one block shape, that with the most sizes, if there are four of them; of
# grids the square ones.
# Between the measured sizes, a list of made-up measurements asks `warpreel validate` for its predictions; sizes at which a kernel takes a
# path or a block that was not profiled are left out of the curve.
# Columns: panel (from 1), kernel, what (measured, curve), n, us (measured; or of the model warps), roofline_us.
set -eu
warpreel=$1 platform=$2 kernels=$3
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# chosen: panel, solver, kernel, n, measured, config
awk -F '\t' -v OFS='\t' '
	function rectangle(config,    side) {
		return match(config, /size=[0-9]+x[0-9]+/) && split(substr(config, RSTART + 5, RLENGTH - 5), side, "x") && side[1] != side[2]
	}
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kernel"] != "-" && $at["model"] == "warps" && !rectangle($at["config"]) {
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

# Sizes a factor of two apart; of sides, which make squares, about 1.4.
awk -F '\t' -v OFS='\t' '
	function ask(panel, solver, config, n, edge) {
		at = index(config, "size=")
		rest = substr(config, at + 5)
		value = rest ~ /^[0-9]+x/ ? (n + edge) "x" (n + edge) : n
		sub(/^[0-9x]+/, "", rest)
		print solver, substr(config, 1, at - 1) "size=" value rest, 1, 0
	}
	function curve(    n, k) {
		edge = config ~ /size=[0-9]+x/ ? 2 : 0 # the boundary of a grid
		for (n = least - edge; n < most - edge; n *= 2) {
			ask(panel, solver, config, n, edge)
			if (most / least <= 1000)
				ask(panel, solver, config, n * 1.5, edge)
		}
		ask(panel, solver, config, most - edge, edge)
	}
	BEGIN { print "solver", "config", "median_ns", "mad_ns" }
	$1 != panel { if (panel) curve(); panel = $1; solver = $2; config = $6; least = $4 }
	{ most = $4 }
	END { if (panel) curve() }' "$scratch/chosen" | awk '!seen[$0]++' >"$scratch/asked"
"$warpreel" validate --platform "$platform" --only kernels --kernels "$scratch/asked" -o "$scratch/answers" >/dev/null

awk -F '\t' -v OFS='\t' '
	function curve_of(config) { sub(/size=[0-9]+/, "size=", config); sub(/=x[0-9]+/, "=", config); return config }
	BEGIN { print "panel", "kernel", "what", "n", "us", "roofline_us" }
	NR == FNR { label = ($2 == "micro" ? "" : $2 " ") $3; panel[curve_of($6)] = $1; kernel[$1] = label; print $1, label, "measured", $4, $5, "NaN"; next }
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		config = $at["config"]
		n = substr(config, index(config, "size=") + 5) + 0
		if ($at["model"] == "warps" && !$at["extrapolated"]) warps[config] = $at["predicted_us"]
		if ($at["model"] == "roofline" && config in warps) print panel[curve_of(config)], kernel[panel[curve_of(config)]], "curve", n, warps[config], $at["predicted_us"]
	}' "$scratch/chosen" "$scratch/answers" | { IFS= read -r header; printf '%s\n' "$header"; LC_ALL=C sort -t "$(printf '\t')" -k1,1n -k3,3 -k4,4n; }
