#!/bin/sh
# SPDX-License-Identifier: MIT
# Puts the accuracy table into a document, between the lines "<!-- MARK: begin -->" and "<!-- MARK: end -->"; MARK is "summary" unasked.
#   insert_summary.sh SUMMARY.tsv DOCUMENT.md PLATFORM [MARK]
# SUMMARY.tsv is what `warpreel validate --summary` writes. The tool's own answer stands with both splits, baselines held out only;
# of kernels alone, the model `warps` and its baseline stand for what was held out and what nobody looked at. Below it, where the platform has
# measurements: how wrong one machine's measurement is for another (visits.sh).
set -eu
summary=$1 document=$2 platform=$3 mark=${4:-summary}
if ! grep -q "^<!-- $mark: begin" "$document" || ! grep -q "^<!-- $mark: end" "$document"; then
	echo "insert_summary.sh: $document has no markers of $mark" >&2
	exit 1
fi
table=$(awk -v platform="$platform" '
	BEGIN { FS = "\t" }
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	function cell(name) { return $column[name] == "-" ? "-" : sprintf("%.1f", $column[name]) }
	{
		model = $column["model"]; split_name = $column["split"] == "holdout" ? "held out" : $column["split"]
		kernels = $column["set"] == "kernels"
		own = kernels ? model == "warps" : model == "default"
		if (kernels && (split_name == "fit" || (!own && model != "roofline" && model !~ /^warps-/)))
			next
		if (!kernels && !own && (split_name == "fit" || (model != "linear" && model != "same-as-1" && model != "roofline-only")))
			next
		if (!kernels && !own && $column["set"] != "gpus")
			next
		line = sprintf("| %s | %s | %s | %d | %s | %s | %s | %s | %s | %s | %s |", $column["set"], split_name, (own ? kernels ? "**warpreel**, `warps`" : "**warpreel**" : model),
			$column["n"], cell("MAPE_pct"), cell("p50_pct"), cell("p90_pct"), cell("max_pct"), cell("coverage_pct"),
			cell("half_width_pct"), $column["interval_score"] == "-" ? "-" : sprintf("%.3f", $column["interval_score"]))
		place = own || kernels ? $column["set"] " " split_name : "baselines"
		text[place] = text[place] line "\n"
		rows++
	}
	END {
		if (!rows)
			exit 1
		print "Platform `" platform "`; errors are of the core loop, in set kernels of one launch, in percent of the measured time.\n"
		print "| set | split | answer | n | MAPE % | p50 % | p90 % | max % | coverage % | half-width % | interval score |"
		print "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
		places = split("replay fit,replay held out,size fit,size held out,gpus fit,gpus held out,baselines,kernels held out,kernels unseen", order, ",")
		for (k = 1; k <= places; k++)
			printf "%s", text[order[k]]
	}' "$summary") || {
	echo "insert_summary.sh: $summary holds no summary" >&2
	exit 1
}
data=$(dirname "$0")/../traces/data
measured=$data/$platform/measured.tsv
if [ -f "$measured" ]; then
	table="$table

$(sh "$(dirname "$0")/visits.sh" "$measured" "$data/lists/canary.list" | awk '/^What would be wrong/ { go = 1 } go')"
fi
new=$document.new-$$
trap 'rm -f "$new"' EXIT
TABLE=$table MARK=$mark awk '
	index($0, "<!-- " ENVIRON["MARK"] ": begin") == 1 { print; print ""; print ENVIRON["TABLE"]; print ""; skip = 1; next }
	index($0, "<!-- " ENVIRON["MARK"] ": end") == 1 { skip = 0 }
	!skip' "$document" > "$new"
cmp -s "$new" "$document" || cat "$new" > "$document"
