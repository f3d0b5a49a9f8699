#!/bin/sh
# SPDX-License-Identifier: MIT
# make ablation: what each mechanism of the host, of copies and of waits is worth: all runs and programs of others answered with
# it left out. Wants WARPREEL, BUILD, PLATFORM. Writes docs/ablation.tsv; docs/ablation.md is made from it by `ablation.sh page`.
# Rows: a mechanism, "none" (nothing left out) or "all"; MAPE in per cent of each set and split, largest rise of a group of 20 rows.
#
# Launches timed alone are left out (--timed none), which would make up for a part of what a mechanism is worth.
#
# A mechanism stays when its absence raises a development set by 0.1 points or a group of 20 runs by 0.5. What raises neither there is
# left out on the other machines that were measured, too: docs/ablation_beside.tsv, the largest rise of a development set and of a group.
# What raises nothing there either needs a measured reason: a line of docs/ablation_kept.tsv.
#
# `ablation.sh some NAME...` answers a few only, new ones say, and appends them with a line "none" of their own: rows are held against the
# line "none" before them.
set -eu
cd "$(dirname "$0")/.."
table=docs/ablation.tsv beside=docs/ablation_beside.tsv kept=docs/ablation_kept.tsv
others="h200x8 h100x1"

# The rows that the page must have: those of the table of mechanisms, but for the inside of a GPU (docs/model-gpu.md).
names() {
	sed -n 's/^MECHANISM([A-Z0-9_]*, "\([a-z0-9-]*\)", \(HOST\|COPY\),.*/\1/p' model/mechanism/mechanisms.def
}

# answers NAME PLATFORM PART: rows of validate with it left out, in $work
answers() {
	without="" models=""
	[ "$1" = none ] || without="--without $1"
	[ "$3" = foreign ] || models="--models default"
	# shellcheck disable=SC2086 # words
	"$WARPREEL" validate --platform "$2" --only "$3" $models --jobs 1 --timed none $without -o "$work/answers.$1.$2.$3" >/dev/null 2>&1
	"$WARPREEL" columns --of transport,iterations -o "$work/$1.$2.$3.tsv" "$work/answers.$1.$2.$3"
}

# scores NAME PLATFORM: group, rows, MAPE
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
		END { for (key in rows) print key, rows[key], sum[key] / rows[key] }' "$work/$1.$2".*.tsv | LC_ALL=C sort
}

# What stays by the table alone, a name a line.
raised() {
	awk -F '\t' '
		NR == 1 { for (i = 2; i <= NF; i++) if ($i ~ /_development$/) set[i]; next }
		$1 == "none" { for (i in set) base[i] = $i; next }
		{ stays = $NF >= 0.5; for (i in set) stays = stays || $i - base[i] >= 0.1; if (stays) print $1 }' "$table"
}

# What the others say of the rest: name, and why it stays.
reasons() {
	awk -F '\t' '
		FILENAME == ARGV[1] { if (FNR > 1 && $6 - $5 >= ($3 ~ /^group/ ? 0.5 : 0.1)) { sub(/^(set|group) /, "", $3)
			said[$1] = said[$1] (said[$1] ? "; " : "") sprintf("%s, %s %+.2f", $2, $3, $6 - $5) } next }
		FNR > 1 && !/^#/ { said[$1] = said[$1] (said[$1] ? "; " : "") $2 }
		END { for (name in said) print name "\t" said[name] }' "$beside" "$kept" | LC_ALL=C sort
}

# Mechanisms that the table alone would let go.
rest() { raised >"$work/raised"; names | grep -vxF -f "$work/raised" || true; }

# What these cost on other machines, from the answers in $work: the largest rise of a development set and of a group.
beside() {
	printf 'without\tplatform\tof\trows\tmape_pct\twithout_pct\n'
	for name in $(rest); do
		for other in $others; do
			scores none "$other" >"$work/none.$other.scores"
			scores "$name" "$other" | awk -F '\t' -v OFS='\t' -v name="$name" -v other="$other" '
				FILENAME != "-" { base[$1] = $3; next }
				$1 ~ /^set .* development$/ || ($1 ~ /^group/ && $2 >= 20) {
					kind = $1; sub(/ .*/, "", kind)
					if (!(kind in most) || $3 - base[$1] > most[kind]) { most[kind] = $3 - base[$1]; line[kind] = sprintf("%s\t%d\t%.3f\t%.3f", $1, $2, base[$1], $3) }
				}
				END { if ("set" in line) print name, other, line["set"]; if ("group" in line) print name, other, line["group"] }' "$work/none.$other.scores" -
		done
	done
}

page() {
	cat <<-'END'
		# What each mechanism is worth

		Made by `make ablation` from [ablation.tsv](ablation.tsv). Each row leaves one mechanism of the host, of copies or of waits out
		([model-host.md](model-host.md)) and answers all runs of `h200x4` and the recordings of other programs again. Cells are points of
		MAPE: how much worse (+) or better (-) that makes the answers. *Worst group* is the group of 20 runs or more that suffers most:
		of one solver, GPU count, transport and time of an iteration. Kernels are as played (`--timed none`).
		Twenty more went before or are part of one of these, and there it says of which model and which runs this table is ([elimination](lab/elimination.md)).

		A mechanism stays when its absence costs a development set 0.1 points or a group 0.5. *Kept for* says why the others stay: what
		their absence costs on other machines ([ablation_beside.tsv](ablation_beside.tsv)), or what was measured besides.

	END
	reasons | awk -F '\t' '
		FILENAME == "-" { why[$1] = $2; next }
		FNR == 1 { n = NF; printf "| without |"; for (i = 2; i <= n - 2; i++) { sub(/_/, ", ", $i); printf " %s |", $i } print " worst group | | kept for |"
			printf "|---|"; for (i = 2; i <= n - 2; i++) printf "---:|"; print "---|---:|---|"; next }
		$1 == "none" { for (i = 2; i <= n - 2; i++) base[i] = $i; printf "| (MAPE with all) |"; for (i = 2; i <= n - 2; i++) printf " %.2f |", $i; print " | | |"; next }
		{ printf "| %s |", $1; for (i = 2; i <= n - 2; i++) printf " %+.2f |", $i - base[i]; printf " %s | %+.2f | %s |\n", $(n - 1), $n, why[$1] }' - "$table"
}

case ${1:-} in
page)
	page
	exit
	;;
check) # Are the rows of the page those of the table of mechanisms?
	{ echo none; names; echo all; } | LC_ALL=C sort -u >"${TMPDIR:-/tmp}/ablation.$$"
	tail -n +2 "$table" | cut -f 1 | LC_ALL=C sort -u | diff "${TMPDIR:-/tmp}/ablation.$$" - || { rm -f "${TMPDIR:-/tmp}/ablation.$$"; echo "docs/ablation.tsv has other rows than model/mechanism/mechanisms.def: make ablation" >&2; exit 1; }
	rm -f "${TMPDIR:-/tmp}/ablation.$$"
	# Does each stay by the rule, or for a reason?
	{ raised; reasons | cut -f 1; } | LC_ALL=C sort -u >"${TMPDIR:-/tmp}/ablation.$$"
	for name in $(names); do
		grep -qx "$name" "${TMPDIR:-/tmp}/ablation.$$" || { rm -f "${TMPDIR:-/tmp}/ablation.$$"
			echo "$name raises no error by $table and $beside, and $kept has no reason for it: it goes" >&2; exit 1; }
	done
	rm -f "${TMPDIR:-/tmp}/ablation.$$"
	page | diff docs/ablation.md -
	exit
	;;
esac
work=${BUILD:?}/ablation
mkdir -p "$work"
if [ "${1:-}" = answers ]; then # of one, for in_turns
	answers "$2" "$3" "$4"
	exit
fi
if [ "${1:-}" = beside ]; then # anew from the answers that there are
	beside >"$beside"
	page >docs/ablation.md
	exit
fi
# Lines NAME PLATFORM PART, as many answered at once as there are cores (JOBS: as many as that).
in_turns() { xargs -P "${JOBS:-$(nproc)}" -L 1 sh mk/ablation.sh answers; }
# row NAME SETS: its line of the table, from the scores in $work
row() {
	awk -F '\t' -v name="$1" -v sets="$2" '
		FILENAME == ARGV[1] { base[$1] = $3 }
		FILENAME == ARGV[2] { now[$1] = $3; rows[$1] = $2 }
		END {
			printf "%s", name
			n = split(sets, set, " ")
			for (i = 1; i <= n; i++) { key = set[i]; sub(/_/, " ", key); printf "\t%.3f", now["set " key] }
			most = 0; worst = "-"
			for (key in now) if (key ~ /^group/ && rows[key] >= 20 && now[key] - base[key] > most) { most = now[key] - base[key]; worst = substr(key, 7) }
			printf "\t%s\t%.3f\n", worst, most
		}' "$work/none.scores" "$work/$1.scores"
}
some=
if [ "${1:-}" = some ]; then
	shift
	some=$*
fi
asked="none ${some:-$(names) all}"
for part in runs foreign; do # what takes longer first
	for name in $asked; do echo "$name $PLATFORM $part"; done
done | in_turns
for name in $asked; do scores "$name" "$PLATFORM" >"$work/$name.scores"; done
if [ -n "$some" ]; then
	sets=$(head -n 1 "$table" | tr '\t' '\n' | sed '1d' | grep -v '^worst')
	# shellcheck disable=SC2086 # words
	for name in $asked; do row "$name" "$(echo $sets)"; done >>"$table"
	page >docs/ablation.md
	exit
fi
sets=$(sed -n 's/^set \([^\t]*\)\t.*/\1/p' "$work/none.scores" | tr ' ' '_')
{
	printf 'without'
	for set in $sets; do printf '\t%s' "$set"; done
	printf '\tworst_group\tworst_group_rise_pct\n'
	# shellcheck disable=SC2086 # words
	for name in $asked; do row "$name" "$(echo $sets)"; done
} >"$table"
rest=$(rest)
for name in none $rest; do
	for other in $others; do echo "$name $other runs"; done
done | in_turns
beside >"$beside"
page >docs/ablation.md
