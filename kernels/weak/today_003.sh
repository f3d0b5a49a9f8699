#!/bin/sh
# SPDX-License-Identifier: MIT
# Co-simulates again what has been measured and looked at, and writes the tables of it: after any change of the co-simulation or its costs. Three minutes.
#   sh kernels/weak/today_003.sh OUT     (OUT: traces/data/h200x4; WARPREEL: the program)
# papers_003_today.tsv: rows `again`, the third list as answered before it was measured, are kept; the others are made anew.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
lists=$here/../../traces/data/lists out=$(cd "$1" && pwd)
WARPREEL=$(realpath "${WARPREEL:-build/warpreel}")
export WARPREEL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir ages ages3 ages4 ages5
answer() { sh "$here/cosimulate.sh" "$lists/$1.list" h200 "$2" "$(nproc)"; }

{
	awk -F '\t' 'NR == 1 || $1 == "again"' "$out/papers_003_today.tsv"
	for list in "weak_blind2 1" "weak_blind3 3"; do
		# shellcheck disable=SC2086 # a list and its seeds
		answer $list | awk -v OFS='\t' 'NR > 1 { sub(/^[^\t]*/, "today"); print }'
	done
} >today.tsv

# What ages' files are called has scheme, l and resident first and last; 4W-square was measured in development.
{
	printf 'scheme\tl\tresident\tsplit\tage\tcosimulated\n'
	for list in weak_ages:blind weak_ages2:blind-2 weak_ages3:blind-3 weak_ages4:blind-4 weak_ages5:blind-5; do
		rm -rf ages*/*
		answer "${list%:*}" 1 >/dev/null
		for file in ages*/*.tsv; do
			awk -F '\t' -v name="$(basename "$file" .tsv)" -v split_="${list#*:}" 'BEGIN {
					if (!match(name, /-[0-9].*/)) exit
					scheme = substr(name, 1, RSTART - 1)
					n = split(substr(name, RSTART + 1), part, "-")
					if (split_ == "blind" && scheme == "4w-square") split_ = "development" }
				FNR > 1 { print scheme "\t" part[1] "\t" part[n] "\t" split_ "\t" $1 "\t" $2 }' "$file"
		done
	done
} >ages.tsv
cp today.tsv "$out/papers_003_today.tsv"
cp ages.tsv "$out/papers_003_ages_today.tsv"
