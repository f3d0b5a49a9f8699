#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of several GPUs, predicted from a recording on one (docs/as-gpus.md) and held against untraced runs:
#
#     sh traces/data/programs/virtual_rows.sh record LIST OUT FOLDER     on one GPU: NAME.wrt.zst, or a folder NAME of processes
#     sh traces/data/programs/virtual_rows.sh record-true LIST OUT FOLDER   the same on as many GPUs as rows want
#     sh traces/data/programs/virtual_rows.sh measure LIST OUT FOLDER    on as many GPUs as rows want: NAME.times, us, RUNS (10) each
#     sh traces/data/programs/virtual_rows.sh answer LIST OUT [PLATFORM] anywhere: a table of predictions, before any .times is opened
#     sh traces/data/programs/virtual_rows.sh compare LIST OUT ANSWERS   their errors
#
# LIST has a row a line: name, GPUs, how its time is printed, what span of the prediction that is (range NAME, or kernels PATTERN), how
# many (ranges, kernels), whether it has a process a GPU, command. How: nvidia (seconds, the eighth field of what -csv prints), core (lines
# core_us), segment (line ALL, us; three runs, as each has twelve), batch (column core_us). FOLDER has the programs; {P} stands for it, {D} for this one.
# Widths of answers are those of foreign programs only while splits.tsv has the list as blind. RECORD_OPTIONS are record's: --mps. Where PLATFORM is a file, MEASURED is its `data`.
# Nothing is started once SECONDS (300) are over.
set -eu
what=${1:?record, measure, answer or compare} list=${2:?LIST} out=${3:?OUT}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
w=${WARPREEL:-$root/build/warpreel} runs=${RUNS:-10} tab=$(printf '\t')
until=$(($(date +%s) + ${SECONDS_IN_ALL:-300}))
folder=${4:-}
mkdir -p "$out"
rows() { grep -v '^#' "$list" | tail -n +2; }
command_of() { echo "$1" | sed "s#{P}#$folder#g; s#{D}#$here#g"; }
late() {
	[ "$(date +%s)" -lt "$until" ] && return 1
	echo "$1: left out, since the time is over"
}
times_of() { # HOW FILE: microseconds, a line each
	case $1 in
	nvidia) awk -F ', ' 'NF > 7 { print $8 * 1e6 }' "$2" ;;
	core) awk '$1 == "core_us" { print $2 }' "$2" ;;
	segment) awk '$1 == "ALL" && !seen++ { for (i = 2; i <= NF; i++) print $i }' "$2" ;; # of one process
	batch) awk -F '\t' '$1 == "solver" { for (i = 1; i <= NF; i++) if ($i == "core_us") at = i; next } at { print $at }' "$2" ;;
	esac
}
record() {
	trace=$out/$name.wrt.zst
	[ "$processes" = - ] || trace=$out/$name/
	# shellcheck disable=SC2046,SC2086 # several words
	timeout "${LIMIT_EACH:-60}" "$w" record ${as_gpus:+--as-gpus "$gpus"} ${RECORD_OPTIONS:-} -o "$trace" -- $(command_of "$command") >"$out/$name.recorded.txt" 2>&1 ||
		echo "$name: exit $?"
}
# One run of each row: round by round, so that all rows meet the same hours of the host.
measure() {
	[ "$how" != segment ] || [ "$round" -le 3 ] || return 0
	# shellcheck disable=SC2046
	timeout "${LIMIT_EACH:-60}" $(command_of "$command") >"$out/$name.run" 2>>"$out/$name.errors" || echo "$name, run $round: exit $?"
	times_of "$how" "$out/$name.run" >>"$out/$name.times"
	rm -f "$out/$name.run"
}
each() { # FUNCTION
	rows | while IFS="$tab" read -r name gpus how span pattern device count processes command <&0; do
		late "$name" || "$1" </dev/null
	done
}
# Rows for `validate --only foreign`; what is measured is not looked at.
table() {
	printf 'set\tprogram\tgpus\twhat\ttraces\tspan\tname\tdevice\tcount\tmeasured_us\tleast_us\tmost_us\tprocesses\ttraced_us\ttraced_least_us\ttraced_most_us\trecordings\tplain_ms\ttraced_plain_ms\n'
	up=$(realpath -m --relative-to="$root/traces/data/${MEASURED:-$platform}/foreign" "$out")
	rows | while IFS="$tab" read -r name gpus how span pattern device count processes command; do
		traces=
		for trace in "$out/$name.wrt.zst" "$out/$name"/*.wrt.zst; do
			[ ! -e "$trace" ] || traces="$traces${traces:+ }$up/${trace#"$out/"}"
		done
		[ -n "$traces" ] || continue
		printf 'virtual\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t1\t1\t1\t1\t1\t-\t-\t1\t-\t-\n' \
			"$name" "$gpus" "$(echo "$command" | sed 's#{[PD]}/##g')" "$(echo "$traces" | sed 's/\.wrt\.zst//g')" "$span" "$pattern" "$device" "$count"
	done
}
case $what in
record) as_gpus=yes; each record ;;
record-true) as_gpus=; each record ;;
measure)
	rm -f "$out"/*.times
	for round in $(seq "$runs"); do each measure; done
	;;
answer)
	platform=${4:-h200x4}
	table >"$out/table.tsv"
	printf 'program\tgpus\tpredicted_us\tpredicted_lo_us\tpredicted_hi_us\n'
	"$w" validate --only foreign --foreign "$out/table.tsv" --platform "$platform" -o "$out/answers.tsv" >/dev/null
	awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["model"] == "default" { print $at["solver"], $at["gpus"], $at["predicted_us"], $at["predicted_lo_us"], $at["predicted_hi_us"] }' "$out/answers.tsv"
	;;
compare)
	answers=${4:?ANSWERS}
	printf 'program\tgpus\truns\tuntraced_us\tleast_us\tmost_us\tpredicted_us\terror_pct\tinside\n'
	tail -n +2 "$answers" | while IFS="$tab" read -r name gpus predicted low high; do
		[ -s "$out/$name.times" ] || continue
		sort -n "$out/$name.times" | awk -v OFS='\t' -v name="$name" -v gpus="$gpus" -v p="$predicted" -v low="$low" -v high="$high" '
			{ v[NR] = $1 }
			END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
				print name, gpus, NR, m, v[1], v[NR], p, sprintf("%.2f", (p / m - 1) * 100), (m >= low && m <= high) + 0 }'
	done
	;;
esac
