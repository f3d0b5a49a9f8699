#!/bin/sh
# SPDX-License-Identifier: MIT
# Co-simulates experiments of paper 003 (Section V) that are in reach of a few minutes of one core: traces/data/papers/003_cosimulated.tsv.
# 480 x 120 nodes instead of 480 x 480: 15 x 6 blocks, of which 30 are resident, so that stripes are 2 x 15 and squares 6 x 5 as in the paper;
# until the error is below 60 grey levels by the bound.
# Runs that the table has already are kept, so that it goes on where it was stopped.
#   sh kernels/weak/paper_003.sh [TABLE]     (WARPREEL: the program)
set -eu
table=${1:-traces/data/papers/003_cosimulated.tsv}
warpreel=${WARPREEL:-build/warpreel}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for what in source target mask; do
	awk -v what=$what 'BEGIN { print "P2\n480 120\n255"
		for (y = 0; y < 120; y++) for (x = 0; x < 480; x++) {
			r = ((x - 240) / 180) ^ 2 + ((y - 60) / 45) ^ 2
			v = what == "mask" ? (x > 0 && y > 0 && x < 479 && y < 119 ? 255 : 0) : \
				what == "target" ? 130 + 60 * sin(x / 60) + 40 * cos(y / 30 + x / 90) : r < 1 ? 60 + 150 * sqrt(1 - r) : 40
			print int(v)
		} }' >"$scratch/$what.pgm"
done
pictures="--source $scratch/source.pgm --target $scratch/target.pgm --mask $scratch/mask.pgm"
tab=$(printf '\t')

# run FIGURE SOLVER SCHEME N L STOP PROBLEM
run() {
	key="$1$tab$2$tab$3$tab$4$tab$5"
	if [ -f "$table" ] && grep -qF "$key$tab" "$table"; then
		return
	fi
	# shellcheck disable=SC2086
	answer=$("$warpreel" predict "$2" --co-simulate --costs c1060 --seeds 1 $7 --resident 30 --scheme "$3" --host-sync "$4" --exchange "$5" \
		$6 --format tsv | awk -F '\t' 'NR == 2 { printf "%s\t%.6f", $4, $7 / 1e6 }')
	[ -f "$table" ] || printf 'figure\tsolver\tscheme\tn\tl\tsteps\tseconds\n' >"$table"
	printf '%s\t%s\n' "$key" "$answer" >>"$table"
}

error='--stop error --tolerance 60'
run 7 poisson base 1 4 "$error" "$pictures"
for scheme in 4w-square 4w-stripe ud-square ud-stripe 4w-combine-square 4w-combine-stripe coarse; do
	run 7 poisson $scheme 60 4 "$error" "$pictures"
done
for l in 1 4 8; do
	for scheme in ud-square 4w-square 4w-combine-square; do
		run 11 poisson $scheme 60 $l "$error" "$pictures"
	done
done
for n in 20 100; do
	for scheme in 4w-square 4w-stripe ud-stripe; do
		run 7 poisson $scheme $n 4 "$error" "$pictures"
	done
done
