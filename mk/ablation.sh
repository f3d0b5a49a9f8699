#!/bin/sh
# SPDX-License-Identifier: MIT
# make ablation: what each mechanism of the host, of copies and of waits is worth: all runs and programs of others answered with
# it left out. Wants WARPREEL, BUILD, PLATFORM. Writes docs/ablation.tsv; docs/ablation.md is made from it by `ablation.sh page`.
# Rows: a mechanism, "none" (nothing left out) or "all"; MAPE in per cent of each set and split, largest rise of a group of 20 rows.
set -eu
cd "$(dirname "$0")/.."
table=docs/ablation.tsv

# The rows that the page must have: those of the table of mechanisms, but for the inside of a GPU (docs/model-gpu.md).
names() {
	sed -n 's/^MECHANISM([A-Z0-9_]*, "\([a-z0-9-]*\)", \(HOST\|COPY\),.*/\1/p' model/mechanism/mechanisms.def
}

# answers NAME: rows of validate with it left out, in $work
answers() {
	without=
	[ "$1" = none ] || without="--without $1"
	for part in runs foreign; do
		models=
		[ $part = foreign ] || models="--models default"
		# shellcheck disable=SC2086 # words
		"$WARPREEL" validate --platform "$PLATFORM" --only $part $models --jobs 1 $without -o "$work/answers.$1.$part" >/dev/null 2>&1
		"$WARPREEL" columns --of transport,iterations -o "$work/$1.$part.tsv" "$work/answers.$1.$part"
	done
}

# scores NAME: group, rows, MAPE
scores() {
	awk -F '\t' -v OFS='\t' '
		function add(key, error) { rows[key]++; sum[key] += error }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["model"] == "default" {
			error = $at["error_pct"] < 0 ? -$at["error_pct"] : $at["error_pct"]
			add("set " $at["set"] " " $at["split"], error)
			if ($at["set"] ~ /foreign|python/ || $at["split"] == "blind") next
			transport = $at["gpus"] == 1 ? "-" : $at["transport"]
			us = $at["measured_us"] / ($at["iterations"] > 0 ? $at["iterations"] : 1)
			add("group " $at["solver"] ", " $at["gpus"] " GPUs, " transport ", " (us < 20 ? "below 20 us" : us < 60 ? "20 to 60 us" : us < 300 ? "60 to 300 us" : "longer"), error)
		}
		END { for (key in rows) print key, rows[key], sum[key] / rows[key] }' "$work/$1".*.tsv | LC_ALL=C sort
}

page() {
	cat <<-'END'
		# What each mechanism is worth

		Made by `make ablation` from [ablation.tsv](ablation.tsv). Each row leaves one mechanism of the host, of copies or of waits out
		([model-host.md](model-host.md)) and answers all runs of `h200x4` and the recordings of other programs again. Cells are points of
		MAPE: how much worse (+) or better (-) that makes the answers. The last column is the group of 20 runs or more that suffers most:
		of one solver, GPU count, transport and time of an iteration.
		Six more went before ([elimination](lab/elimination.md)).

	END
	awk -F '\t' '
		NR == 1 { n = NF; printf "| without |"; for (i = 2; i <= n - 2; i++) { sub(/_/, ", ", $i); printf " %s |", $i } print " worst group | |"
			printf "|---|"; for (i = 2; i <= n - 2; i++) printf "---:|"; print "---|---:|"; next }
		$1 == "none" { for (i = 2; i <= n - 2; i++) base[i] = $i; printf "| (MAPE with all) |"; for (i = 2; i <= n - 2; i++) printf " %.2f |", $i; print " | |"; next }
		{ printf "| %s |", $1; for (i = 2; i <= n - 2; i++) printf " %+.2f |", $i - base[i]; printf " %s | %+.2f |\n", $(n - 1), $n }' "$table"
}

case ${1:-} in
page)
	page
	exit
	;;
check) # Are the rows of the page those of the table of mechanisms?
	{ echo none; names; echo all; } | LC_ALL=C sort >"${TMPDIR:-/tmp}/ablation.$$"
	tail -n +2 "$table" | cut -f 1 | LC_ALL=C sort | diff "${TMPDIR:-/tmp}/ablation.$$" - || { rm -f "${TMPDIR:-/tmp}/ablation.$$"; echo "docs/ablation.tsv has other rows than model/mechanism/mechanisms.def: make ablation" >&2; exit 1; }
	rm -f "${TMPDIR:-/tmp}/ablation.$$"
	page | diff docs/ablation.md -
	exit
	;;
esac
work=${BUILD:?}/ablation
mkdir -p "$work"
running=0
for name in none $(names) all; do
	answers "$name" &
	running=$((running + 1))
	[ $((running % ${JOBS:-$(nproc)})) != 0 ] || wait
done
wait
for name in none $(names) all; do scores "$name" >"$work/$name.scores"; done
sets=$(sed -n 's/^set \([^\t]*\)\t.*/\1/p' "$work/none.scores" | tr ' ' '_')
{
	printf 'without'
	for set in $sets; do printf '\t%s' "$set"; done
	printf '\tworst_group\tworst_group_rise_pct\n'
	for name in none $(names) all; do
		awk -F '\t' -v name="$name" -v sets="$sets" '
			FILENAME == ARGV[1] { base[$1] = $3 }
			FILENAME == ARGV[2] { now[$1] = $3; rows[$1] = $2 }
			END {
				printf "%s", name
				n = split(sets, set, " ")
				for (i = 1; i <= n; i++) { key = set[i]; sub(/_/, " ", key); printf "\t%.3f", now["set " key] }
				most = 0; worst = "-"
				for (key in now) if (key ~ /^group/ && rows[key] >= 20 && now[key] - base[key] > most) { most = now[key] - base[key]; worst = substr(key, 7) }
				printf "\t%s\t%.3f\n", worst, most
			}' "$work/none.scores" "$work/$name.scores" 
	done
} >"$table"
page >docs/ablation.md
