#!/bin/sh
# SPDX-License-Identifier: MIT
# From what a visit gave to the shipped tables of paper 003.
#   WARPREEL=PROGRAM sh kernels/weak/collect_003.sh FOLDER OUT
# FOLDER holds what `warpreel batch LIST --runs` wrote of lists/weak_*.list and lists/bfs.list, as LIST.tsv and LIST_runs.tsv; ages/ and
# sim/ages/ of lists/weak_ages.list, measured and co-simulated; watch/ of lists/weak_watch.list; sim/LIST.tsv by cosimulate.sh.
set -eu
export LC_ALL=C
from=$1 to=$2

# In development two blocks with communicating threads fitted a multiprocessor, not three, since clocks cost registers: what ran free then is
# no run of the kernels as they are.
keep() {
	"${WARPREEL:?}" columns --of scheme,resident "$1" | awk -F '\t' -v OFS='\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["scheme"] ~ /^4w/ && $at["resident"] == 0 { next }
		{ NF -= 2; print }'
}
keep "$from/weak_develop.tsv" >"$from/weak_develop.kept"
keep "$from/weak_develop_runs.tsv" >"$from/weak_develop_runs.kept"
mv "$from/weak_develop.kept" "$from/weak_develop.tsv"
mv "$from/weak_develop_runs.kept" "$from/weak_develop_runs.tsv"

# Medians, as of every batch.
for list in develop blind blind_shape whole; do cat "$from/weak_$list.tsv"; done | awk -F '\t' 'NR == 1 { head = $0; print; next } $0 != head' >"$to/papers_003.tsv"

# Every run: a row a configuration, steps and times as lists.
{
	printf 'solver\tconfig\tsplit\tsteps\tcore_us\n'
	for list in develop blind blind_shape whole; do
		split=$list
		[ $list = develop ] && split=development
		[ $list = blind_shape ] && split=blind
		awk -F '\t' -v split_="$split" 'NR == 1 { next } { key = $1 "\t" $2; if (!(key in steps)) { order[++n] = key; steps[key] = $5; us[key] = sprintf("%.1f", $6) }
			else { steps[key] = steps[key] "," $5; us[key] = us[key] "," sprintf("%.1f", $6) } }
			END { for (k = 1; k <= n; k++) print order[k] "\t" split_ "\t" steps[order[k]] "\t" us[order[k]] }' "$from/weak_${list}_runs.tsv"
	done
} >"$to/papers_003_runs.tsv"

# What was co-simulated of them, before.
for list in weak_develop weak_blind weak_blind_shape; do cat "$from/sim/$list.tsv"; done | awk 'NR == 1 { head = $0; print; next } $0 != head' >"$to/papers_003_cosimulated.tsv"

# Ages: 4W-square was measured in development.
{
	printf 'scheme\tl\tresident\tsplit\tage\tmeasured\tcosimulated\n'
	for file in "$from"/ages/*.tsv; do
		name=$(basename "$file" .tsv)
		resident=${name##*-} rest=${name%-*}
		l=${rest##*-} scheme=${rest%-*}
		split=blind
		[ "$scheme" = 4w-square ] && split=development
		awk -F '\t' -v what="$scheme	$l	$resident	$split" 'FNR == 1 { file++; next } { age[$1]; count[file, $1] = $2 }
			END { for (a in age) print what "\t" a "\t" count[1, a] + 0 "\t" count[2, a] + 0 }' "$file" "$from/sim/ages/$name.tsv" | sort -t "$(printf '\t')" -k5,5n
	done
} >"$to/papers_003_ages.tsv"

# Clocks of blocks: means over the blocks of a launch.
{
	printf 'solver\tscheme\tl\tthreads\tresident\tblocks\tsteps\tstep_cycles\tstep_sd_between\tstep_sd_within\texchange_cycles\texchange_sd_between\texchange_sd_within\tload_ns\tstore_ns\tcycles_per_step\n'
	for file in "$from"/watch/*.tsv; do
		name=$(basename "$file" .tsv)
		awk -F '\t' -v name="$name" 'NR == 1 { next }
			{ n++; step += $9; step2 += $9 * $9; sd += $10; talk += $12; talk2 += $12 * $12; talk_sd += $13; load += $4 - $3; store += $6 - $5; cycles += $7 }
			function root(x) { return x > 0 ? sqrt(x) : 0 }
			END { k = split(name, w, "-"); scheme = w[2]; if (k == 6) scheme = w[2] "-" w[3]
				steps = scheme == "base" ? 1 : 240
				printf "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\n", w[1], scheme, w[k - 2], w[k - 1], w[k], n, steps, step / n,
					root(step2 / n - (step / n) ^ 2), sd / n, talk / n, root(talk2 / n - (talk / n) ^ 2), talk_sd / n, load / n, store / n, cycles / n / steps }' "$file"
	done
} >"$to/papers_003_watch.tsv"

# Searches: pairs of host and block.
"${WARPREEL:?}" columns --of vertices,edges,barrier "$from/bfs.tsv" | awk -F '\t' '
	BEGIN { OFS = "\t"; print "edges_per_vertex", "levels", "us_block", "us_host", "mad_block", "mad_host" }
	$1 == "solver" { for (i = 1; i <= NF; i++) at[$i] = i }
	$1 != "bfs" { next }
	$at["barrier"] == "host" { us = $6; mad = $8; next }
	{ printf "%.4g\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", $at["edges"] / $at["vertices"], $4, $6, us, $8, mad }' >"$to/papers_003_bfs.tsv"
