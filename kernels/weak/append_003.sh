#!/bin/sh
# SPDX-License-Identifier: MIT
# Appends what a later visit gave to the shipped tables of paper 003.
#   sh kernels/weak/append_003.sh FOLDER OUT [ANSWERED]
# FOLDER holds LIST.tsv and LIST_runs.tsv of `warpreel batch LIST --runs` for blind2, blind3, rest (blind lines left over from the visit
# before), blind4, blind5, cluster, free, async, speed and fig14_runs, those that there are; ages/, measured, of weak_ages2.list, ages3/ to ages5/ of those; steady.tsv of
# weak_steady.list. ANSWERED (OUT/papers_003_ages_answered.tsv) has what was co-simulated. What OUT has already is refused, before anything is written.
set -eu
export LC_ALL=C
from=$1 to=$2 answered=${3:-$2/papers_003_ages_answered.tsv}

# same TABLE: the columns that the shipped table has.
same() { awk -F '\t' 'NR == FNR { if (FNR == 1) n = split($0, want); next } FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	{ for (k = 1; k <= n; k++) printf "%s%s", $at[want[k]], k < n ? "\t" : "\n" }' "$to/papers_003.tsv" "$1"; }

# refuse LIST: a configuration of its that the table has, or two files that are not of one batch.
refuse() {
	awk -F '\t' -v list="$1" 'FNR == 1 { file++; next } file == 1 { has[$1, $2]; next } file == 2 { rows[$1, $2]; if (($1, $2) in has) again = again ? again : $2; next }
		!(($1, $2) in rows) { bad = $2 } { runs[$1, $2] } END { for (k in rows) if (!(k in runs)) bad = k
		if (again) print "append_003: " list ": stands there already: " again; else if (bad) print "append_003: " list ": not the same configurations in both tables"
		exit again || bad ? 1 : 0 }' "$to/papers_003.tsv" "$from/$1.tsv" "$from/${1}_runs.tsv" >&2
}
for list in rest blind2 blind3 blind4 blind5 cluster free async speed fig14_runs; do
	[ ! -f "$from/$list.tsv" ] || refuse $list
done
for list in rest blind2 blind3 blind4 blind5 cluster free async speed fig14_runs; do
	[ -f "$from/$list.tsv" ] || continue
	same "$from/$list.tsv" | sed 1d >>"$to/papers_003.tsv"
	case $list in rest) split=blind ;; blind2) split=blind-2 ;; blind3) split=blind-3 ;; blind4) split=blind-4 ;; blind5) split=blind-5 ;; *) split=whole ;; esac
	awk -F '\t' -v split_="$split" 'NR == 1 { next } { key = $1 "\t" $2; if (!(key in steps)) { order[++n] = key; steps[key] = $5; us[key] = sprintf("%.1f", $6) }
		else { steps[key] = steps[key] "," $5; us[key] = us[key] "," sprintf("%.1f", $6) } }
		END { for (k = 1; k <= n; k++) print order[k] "\t" split_ "\t" steps[order[k]] "\t" us[order[k]] }' "$from/${list}_runs.tsv" >>"$to/papers_003_runs.tsv"
done
[ ! -f "$from/steady.tsv" ] || same "$from/steady.tsv" >"$to/papers_003_steady.tsv"

# Ages: scheme-l-threads-resident.tsv.
for file in "$from"/ages/*.tsv "$from"/ages[345]/*.tsv; do
	[ -f "$file" ] || continue
	case $file in */ages3/*) split=blind-3 ;; */ages4/*) split=blind-4 ;; */ages5/*) split=blind-5 ;; *) split=blind-2 ;; esac
	name=$(basename "$file" .tsv)
	resident=${name##*-} rest=${name%-*}
	threads=${rest##*-} rest=${rest%-*}
	l=${rest##*-} scheme=${rest%-*}
	awk -F '\t' -v s="$scheme" -v l="$l" -v t="$threads" -v r="$resident" -v split_="$split" 'FNR == 1 { file++; next }
		file == 1 { age[$1]; measured[$1] = $2; next } $1 == s && $2 == l && $3 == t && $4 == r { age[$5]; answered[$5] = $6 }
		END { for (a in age) print s "\t" l "\t" r "\t" split_ "\t" a "\t" measured[a] + 0 "\t" answered[a] + 0 }' "$file" "$answered" |
		sort -t "$(printf '\t')" -k5,5n >>"$to/papers_003_ages.tsv"
done
