# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the pages of papers are written with: docs/papers_*.sh read it first. They are called with FOLDER PLATFORM MEASURED.tsv, by make papers.
set -eu
export LC_ALL=C
# shellcheck disable=SC2034 # of those that read this
from=$1 today=$2

table() { cat "$from/$1.md"; }

# pick TABLE COLUMN KEY=VALUE...: that column of the first row in which all keys have their values.
pick() {
	pick_table=$from/$1.tsv pick_column=$2
	shift 2
	awk -F '\t' -v column="$pick_column" -v keys="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, " "); next }
		{ for (i = 1; i <= n; i++) { split(key[i], part, "="); if ($at[part[1]] != part[2]) next }
			print $at[column]; exit }' "$pick_table"
}
