#!/bin/sh
# SPDX-License-Identifier: MIT
# Puts the accuracy table into a document, between the lines "<!-- summary: begin -->" and "<!-- summary: end -->".
#   insert_summary.sh SUMMARY.tsv DOCUMENT.md PLATFORM [BLIND.tsv]
# SUMMARY.tsv is what `warpreel validate --summary` writes. Of each set the strictest split stands: blind, else
# development. Before them, from BLIND.tsv of `validate --tables`, what was answered before it was measured. Below, where the platform has measurements: how wrong one visit's measurement is for another's (visits.sh).
set -eu
summary=$1 document=$2 platform=$3 blind=${4:-/dev/null}
data=$(dirname "$0")/../traces/data
public=$data/$platform/public_blind.tsv
if [ -f "$public" ]; then
	public=$(awk -F '\t' "$(cat "$(dirname "$0")/quantile.awk")"'
		/^#/ || $1 == "program" { next }
		{ error = 100 * ($5 / $3 - 1); list[++n] = error < 0 ? -error : error; sum += list[n]; inside += $3 >= $6 && $3 <= $7 }
		END { printf "| **public programs, played back, as answered then** | blind | %d | %.1f | %.1f | %.1f | %.1f | %.1f |", n, sum / n,
			quantile(n, 0.5), quantile(n, 0.9), quantile(n, 1), 100 * inside / n }' "$public")
else
	public=
fi
if ! grep -q "^<!-- summary: begin" "$document" || ! grep -q "^<!-- summary: end" "$document"; then
	echo "insert_summary.sh: $document has no markers" >&2
	exit 1
fi
table=$(awk -v public="$public" '
	BEGIN {
		FS = "\t"
		rows = split("replay default|a recorded run, played back|size default|one GPU, planned|gpus default|several GPUs, planned|" \
			"gpus linear|- baseline: one GPU over GPUs|gpus roofline-only|- baseline: bytes over memory rate|" \
			"foreign default|NVIDIA'\''s multi-GPU programs", word, "|")
		splits = split("blind,development", strict, ",")
	}
	FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }
	FILENAME == ARGV[1] {
		if ($column["visit"] == "all")
			made[++visits] = sprintf("| **%s, as answered then** | blind | %d | %.1f | %.1f | %.1f | %.1f | %s |", $column["set"] == "kernels" ? "one kernel alone" : "runs, planned",
				$column["made_n"], $column["made_MAPE_pct"], $column["made_p50_pct"], $column["made_p90_pct"], $column["made_max_pct"],
				$column["made_coverage_pct"] == "-" ? "-" : sprintf("%.1f", $column["made_coverage_pct"]))
		next
	}
	{ key = $column["set"] " " $column["model"] " " $column["split"]; n[key] = $column["n"]; line[key] = $0 }
	function cell(name) { return field[column[name]] == "-" ? "-" : sprintf("%.1f", field[column[name]]) }
	END {
		print "| answer | split | n | MAPE % | p50 % | p90 % | max % | in interval % |"
		print "|---|---|---:|---:|---:|---:|---:|---:|"
		for (k = 1; k <= visits; k++)
			print made[k]
		if (public)
			print public
		for (k = 1; k < rows; k += 2)
			for (s = 1; s <= splits; s++) {
				key = word[k] " " strict[s]
				if (!(key in line))
					continue
				split(line[key], field, "\t")
				printf "| %s | %s | %d | %s | %s | %s | %s | %s |\n", word[k + 1], strict[s], n[key],
					cell("MAPE_pct"), cell("p50_pct"), cell("p90_pct"), cell("max_pct"), cell("coverage_pct")
				shown++
				break
			}
		exit !shown
	}' "$blind" "$summary") || {
	echo "insert_summary.sh: $summary holds no summary" >&2
	exit 1
}
measured=$data/$platform/measured.tsv
if [ -f "$measured" ]; then
	table="$table

$(sh "$(dirname "$0")/visits.sh" "$measured" "$data/lists/canary.list" | awk -F ' *[|] *' '
		/^What would be wrong/ { go = 1 }
		go && $2 ~ /^[0-9]+$/ { said = said (said ? ", " : "") sprintf("%.1f %% (%s GPU%s)", $4, $2, $2 == 1 ? "" : "s") }
		END { if (said) print "Two visits that measure one configuration differ on average by " said "." }')"
fi
new=$document.new-$$
trap 'rm -f "$new"' EXIT
TABLE=$table awk '
	index($0, "<!-- summary: begin") == 1 { print; print ""; print ENVIRON["TABLE"]; print ""; skip = 1; next }
	index($0, "<!-- summary: end") == 1 { skip = 0 }
	!skip' "$document" > "$new"
cmp -s "$new" "$document" || cat "$new" > "$document"
