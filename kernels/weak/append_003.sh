#!/bin/sh
# SPDX-License-Identifier: MIT
# Appends what a later visit gave to the shipped tables of paper 003.
#   sh kernels/weak/append_003.sh FOLDER OUT
# FOLDER holds LIST.tsv and LIST_runs.tsv of `warpreel batch LIST --runs` for blind2, rest (blind lines left over from the visit before) and
# cluster; ages/, measured, of weak_ages2.list; steady.tsv of weak_steady.list. OUT/papers_003_ages_answered.tsv has what was co-simulated.
set -eu
export LC_ALL=C
from=$1 to=$2

# same TABLE: the columns that the shipped table has.
same() { awk -F '\t' 'NR == FNR { if (FNR == 1) n = split($0, want); next } FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	{ for (k = 1; k <= n; k++) printf "%s%s", $at[want[k]], k < n ? "\t" : "\n" }' "$to/papers_003.tsv" "$1"; }

for list in rest blind2 cluster; do
	[ -f "$from/$list.tsv" ] || continue
	same "$from/$list.tsv" | sed 1d >>"$to/papers_003.tsv"
	case $list in rest) split=blind ;; blind2) split=blind-2 ;; *) split=whole ;; esac
	awk -F '\t' -v split_="$split" 'NR == 1 { next } { key = $1 "\t" $2; if (!(key in steps)) { order[++n] = key; steps[key] = $5; us[key] = sprintf("%.1f", $6) }
		else { steps[key] = steps[key] "," $5; us[key] = us[key] "," sprintf("%.1f", $6) } }
		END { for (k = 1; k <= n; k++) print order[k] "\t" split_ "\t" steps[order[k]] "\t" us[order[k]] }' "$from/${list}_runs.tsv" >>"$to/papers_003_runs.tsv"
done
[ ! -f "$from/steady.tsv" ] || same "$from/steady.tsv" >"$to/papers_003_steady.tsv"

# Ages: scheme-l-threads-resident.tsv.
for file in "$from"/ages/*.tsv; do
	[ -f "$file" ] || continue
	name=$(basename "$file" .tsv)
	resident=${name##*-} rest=${name%-*}
	threads=${rest##*-} rest=${rest%-*}
	l=${rest##*-} scheme=${rest%-*}
	awk -F '\t' -v s="$scheme" -v l="$l" -v t="$threads" -v r="$resident" 'FNR == 1 { file++; next }
		file == 1 { age[$1]; measured[$1] = $2; next } $1 == s && $2 == l && $3 == t && $4 == r { age[$5]; answered[$5] = $6 }
		END { for (a in age) print s "\t" l "\t" r "\tblind-2\t" a "\t" measured[a] + 0 "\t" answered[a] + 0 }' "$file" "$to/papers_003_ages_answered.tsv" |
		sort -t "$(printf '\t')" -k5,5n >>"$to/papers_003_ages.tsv"
done
