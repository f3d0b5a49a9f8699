#!/bin/sh
# SPDX-License-Identifier: MIT
# Rows of foreign.tsv, set `public`, of what measure_public.sh left in OUT:
#
#     sh traces/data/programs/public_rows.sh OUT [GPUS] >>traces/data/PLATFORM/foreign.tsv
#
# A process counts with its own timer, the look that public.tsv names. A program that failed or has no such look is said on standard
# error and left out. The recording of a row is the first, whatever it is; rows of one process have one recording between them.
set -eu
out=${1:?what measure_public.sh left} gpus=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
tab=$(printf '\t')
sed 1d "$here/public.tsv" | while IFS="$tab" read -r _ program _ _ path arguments look; do
	for file in "$out/$program"-[0-9]*.txt "$out/$program"-recorded-[0-9]*.txt; do
		[ ! -f "$file" ] || awk -v look="$look" -v file="$(basename "$file")" '$1 == "LOOK" && $2 == look { print (file ~ /-recorded-/ ? "recorded" : "untraced") "\t" $3 }' "$file"
	done | awk -F '\t' -v OFS='\t' -v program="$program" -v what="$(basename "$path") $arguments" -v look="$look" -v gpus="$gpus" "$(cat "$here/../../../docs/quantile.awk")"'
		{ us[$1, ++n[$1]] = $2 + 0 }
		function times(kind,    k) { for (k = 1; k <= n[kind]; k++) list[k] = us[kind, k]; half = quantile(n[kind], 0.5); return sprintf("%.1f\t%.1f\t%.1f\t%d", half, quantile(n[kind], 0), quantile(n[kind], 1), n[kind]) }
		END { if (!n["untraced"] || !n["recorded"]) { print program ": was not timed" >"/dev/stderr"; exit }
			print "public", program, gpus, what, program, "range", "look " look, "-", 1, times("untraced"), times("recorded"), "-", "-" }'
done
