#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes a page of docs/ from what `warpreel validate` wrote, and the tables behind it beside the page; nothing in them is typed.
#   validation.sh WARPREEL VALIDATION.tsv SUMMARY.tsv TABLES DATA ROWS > PAGE
# TABLES is the folder given to `validate --tables`; DATA that of the platform's measurements and traces, traces/data/<platform>; ROWS takes
# <platform>-*.tsv. Called by make validation-report.
set -eu
warpreel=$1 table=$2 summary=$3 tables=$4 data=$5 rows=$6
platform=$(basename "$data") here=$(dirname "$0")
mkdir -p "$rows"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Prints columns of a table in Markdown: "NAME=HEADING" each; a NAME may have a format before it, "%.1f NAME". HEADING ends with ":" where it is to
# the right. Lines are those that pass the awk expression CONDITION, whose fields are $at["name"].
#   markdown FILE CONDITION COLUMN...
markdown() {
	file=$1 condition=$2
	shift 2
	for column; do echo "$column"; done >"$work/columns"
	LC_ALL=C awk -F '\t' '
		FILENAME == ARGV[1] { cut = index($0, "="); name[++n] = substr($0, 1, cut - 1); heading[n] = substr($0, cut + 1); next }
		/^#/ { next }
		!header++ {
			for (i = 1; i <= NF; i++) at[$i] = i
			for (c = 1; c <= n; c++) {
				right = sub(/:$/, "", heading[c]); line = line "| " heading[c] " "; rule = rule (right ? "|---:" : "|---")
				if (split(name[c], part, " ") == 2) { format[c] = part[1]; name[c] = part[2] }
			}
			print line "|"; print rule "|"
			next
		}
		'"$condition"' {
			for (c = 1; c <= n; c++) {
				value = $at[name[c]]
				printf "| %s ", format[c] != "" && value != "-" ? sprintf(format[c], value) : value
			}
			print "|"
		}' "$work/columns" "$file"
}

# The rows of the tool's own answer, of kernels and pairs the model `warps`.
LC_ALL=C awk -F '\t' -v OFS='\t' '
	function short(us) { return us == "-" || us == "" ? us : us >= 1e5 ? sprintf("%.0f", us) : sprintf("%.6g", us) }
	function off(us) { return us == "-" ? us : sprintf("%+.1f", (us / $at["predicted_us"] - 1) * 100) }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
		print "set", "split", "solver", "gpus", "config", "measured_us", "mad_us", "visit_spread_pct", "predicted_us", "low_pct", "high_pct", "error_pct", "inside", "refused"; next }
	{ own = $at["set"] ~ /^(kernels|contention)$/ ? "warps" : "default"; refused = $at["model"] == own "-refused" }
	$at["model"] == own || refused {
		low = $at["predicted_lo_us"]; us = $at["measured_us"] + 0
		print $at["set"], $at["split"], $at["solver"], $at["gpus"], $at["config"], short($at["measured_us"]), short($at["measured_mad_us"]), $at["visit_spread_pct"] + 0,
			short($at["predicted_us"]), off(low), off($at["predicted_hi_us"]), sprintf("%.2f", $at["error_pct"]), low == "-" ? "-" : (us >= low + 0 && us <= $at["predicted_hi_us"] + 0 ? "yes" : "no"), refused ? "yes" : "no" }' \
	"$table" >"$work/rows"
{ head -n 1 "$work/rows" && tail -n +2 "$work/rows" | LC_ALL=C sort -t "$(printf '\t')" -k1,2 -k3,3 -k4,4n -k5,5; } >"$rows/$platform-rows.tsv"
cp "$summary" "$rows/$platform-summary.tsv"
for name in ranking strata parts blind; do
	if [ -f "$tables/$name.tsv" ]; then cp "$tables/$name.tsv" "$rows/$platform-$name.tsv"; fi
done

printf '# Validation: %s\n' "$platform"
cat <<END

Made by \`make validation-report\` from the shipped traces, measurements and platform file. How a number is derived: [numbers.md](numbers.md). How the
data were made: [measuring.md](measuring.md). All tables are in [validation/](validation): every row in
[\`$platform-rows.tsv\`](validation/$platform-rows.tsv), every model and baseline in [\`$platform-summary.tsv\`](validation/$platform-summary.tsv).

Errors are of the core loop against the untraced, measured median; in sets \`kernels\` and \`contention\` of launches.

| set | what is predicted |
|---|---|
| \`replay\` | a recorded run, played back as it was |
| \`size\`, \`gpus\` | a run on one GPU, on several: from its plan, counts of its kernels and the platform file. Together: *planned* |
| \`kernels\`, \`contention\` | kernels alone, one launch after the other; two at once on one GPU |
| \`foreign\`, \`public\`, \`python\` | programs of others, played back |

Splits ([\`model/splits.tsv\`](../model/splits.tsv) says which row is in which, why, and since when): *development*, anything may be looked at; *interval*,
the rows that set how wide intervals are, of which many were looked at too while the model was built; *blind*, named and predicted before it was measured.
How they came to be: [lab/splits.md](lab/splits.md).
END

if [ -f "$tables/blind.tsv" ]; then
	cat <<END

## Blind

Each line is of one visit and one commit: what the program of that commit answered to configurations that were named before, as it was answered, and what is answered
now, against that visit's measurement. *Again* is what another visit's measurement is off by. Rows: [\`traces/data/$platform/blind.tsv\`](../traces/data/$platform/blind.tsv).

END
	markdown "$tables/blind.tsv" 1 visit=visit commit=commit set=set named=named: refused=refused: \
		made_MAPE_pct="as made: MAPE %:" made_p50_pct="p50 %:" made_p90_pct="p90 %:" made_max_pct="max %:" made_coverage_pct="inside %:" \
		now_MAPE_pct="now: MAPE %:" now_max_pct="max %:" now_coverage_pct="inside %:" again_n="again: n:" again_MAPE_pct="MAPE %:" made_of_again_MAPE_pct="as made, of these %:"
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["as_good_as_measuring_again"] == "yes" && $at["visit"] != "all" { good = good (good ? ", " : "") $at["visit"] }
		$at["visit"] == "all" && $at["set"] == "planned" {
			print "\nOf all planned runs the answers as made were off by " $at["made_MAPE_pct"] " %, and " $at["made_coverage_pct"] " % were inside their interval." \
				($at["again_n"] + 0 == 0 ? "" : " Measuring again on another visit is off by " $at["again_MAPE_pct"] " %, where the answers as made were off by " $at["made_of_again_MAPE_pct"] " %" ($at["as_good_as_measuring_again"] == "yes" ? ": they are as good as measuring again." : ": they are not as good as measuring again.")) }
		END { if (good) print "As good as measuring again: visit " good "." }' "$tables/blind.tsv"
fi

cat <<END

## Summary

The answer unasked, beside the trivial baseline that is best on the same rows. *Refused*: what \`predict\` answers with \`--allow-extrapolation\` alone (all: [\`$platform-summary.tsv\`](validation/$platform-summary.tsv)).

END
awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		set = $at["set"]; model = $at["model"]; key = set OFS $at["split"]
		unasked = set ~ /^(kernels|contention)$/ ? "warps" : "default"
		own = model == unasked
		if (model == unasked "-refused") { key = set OFS $at["split"] ", refused"; own = 1 }
		if (own) { line[key] = $0; order[++keys] = key }
		trivial = model ~ /^(linear|same-as-1|roofline-only|as-recorded|sum|max)$/ || (set == "kernels" && model == "roofline")
		if (trivial && (!(key in least) || $at["MAPE_pct"] + 0 < least[key])) { least[key] = $at["MAPE_pct"] + 0; baseline[key] = model }
	}
	END {
		print "set", "split", "n", "MAPE_pct", "p50_pct", "p90_pct", "max_pct", "coverage_pct", "half_width_pct", "baseline", "baseline_pct"
		for (k = 1; k <= keys; k++) {
			split(line[order[k]], f, FS)
			print order[k], f[at["n"]], f[at["MAPE_pct"]], f[at["p50_pct"]], f[at["p90_pct"]], f[at["max_pct"]], f[at["coverage_pct"]], f[at["half_width_pct"]],
				order[k] in baseline ? baseline[order[k]] : "-", order[k] in least ? sprintf("%.2f", least[order[k]]) : "-"
		}
	}' "$summary" >"$work/summary"
markdown "$work/summary" 1 set=set split=split n=n: MAPE_pct="MAPE %:" p50_pct="p50 %:" p90_pct="p90 %:" max_pct="max %:" coverage_pct="inside %:" \
	half_width_pct="half-width %:" baseline="best baseline" baseline_pct="its MAPE %:"

cat <<END

## Ranking

Planned runs of all splits that differ in one choice only, or in *any* of them: how often the predicted best is the measured best, how much longer it takes than that one
(regret), and Kendall's tau of the two orders. *By chance*: a choice drawn at random.

END
markdown "$tables/ranking.tsv" 1 choice=choice groups=groups: runs=runs: right_pct="right %:" right_by_chance_pct="by chance %:" regret_to_2_pct="regret to 2 %, %:" \
	regret_mean_pct="mean regret %:" regret_p90_pct="p90 %:" regret_max_pct="max %:" regret_by_chance_pct="by chance %:" tau=tau:

shown=$(cut -f 2 "$tables/strata.tsv" | grep -x -m 1 blind || echo development)
cat <<END

## Strata

Planned runs of split \`$shown\`, as answered now. Coverage has its exact 95 % interval (Clopper and Pearson); a stratum passes when that contains 90 %. With
replays and the other splits: [\`$platform-strata.tsv\`](validation/$platform-strata.tsv).

END
LC_ALL=C awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print $0, "of", "between"; next }
	{ print $0, $at["by"] == "all" ? "all" : $at["by"] " " $at["stratum"], $at["covered"] == "-" ? "-" : sprintf("%.0f to %.0f", $at["coverage_low_pct"], $at["coverage_high_pct"]) }' \
	"$tables/strata.tsv" >"$work/strata"
markdown "$work/strata" '$at["set"] == "planned" && $at["split"] == "'"$shown"'" && $at["stratum"] != "-"' split=split of=stratum n=n: MAPE_pct="MAPE %:" bias_pct="bias %:" p50_pct="p50 %:" \
	p90_pct="p90 %:" max_pct="max %:" baseline_MAPE_pct="best baseline %:" coverage_pct="inside %:" between="95 %" contains_90=passes

if [ "$(wc -l <"$tables/parts.tsv")" -gt 1 ]; then
	cat <<END

## By part

Planned runs that were recorded too: a plan's part less the same part of the recording played back, in percent of the measured time. *kernel*: one ran;
*copy*: only copies did; *sync*: nothing ran, stream or thread waited; *launch*: nothing ran, the host was busy. The four add up to \`twin\`; \`measured\` is the whole
against the clock. A replay has the host's costs from the same
platform file, so what is wrong in both does not show. By number of GPUs: [\`$platform-parts.tsv\`](validation/$platform-parts.tsv).

END
	markdown "$tables/parts.tsv" '$at["gpus"] == "all"' part=part n=n: share_pct="share %:" "%+.2f bias_pct=bias %:" mean_pct="mean abs. %:" p50_pct="p50 %:" p90_pct="p90 %:" max_pct="max %:"
fi

printf '\n## The five worst rows\n\n'
{ head -n 1 "$work/rows" && tail -n +2 "$work/rows" | awk -F '\t' '$1 ~ /^(replay|size|gpus)$/ { e = $12 + 0; print (e < 0 ? -e : e) "\t" $0 }' |
	LC_ALL=C sort -t "$(printf '\t')" -k1,1gr -k6,6 -k5,5n | head -n 5 | cut -f 2-; } >"$work/worst"
markdown "$work/worst" 1 set=set split=split gpus=GPUs: config=configuration "%.0f measured_us=measured us:" "%.1f visit_spread_pct=between visits %:" "%.0f predicted_us=predicted us:" "%+.1f error_pct=error %:" inside=inside

sh "$here/validation_foreign.sh" "$table" "$data"

if [ -f "$data/measured.tsv" ]; then
	WARPREEL=$warpreel sh "$here/visits.sh" "$data/measured.tsv" "$(dirname "$data")/lists/canary.list" >"$rows/$platform-visits.md"
	sed -n '/^| GPUs | configurations/,$p' "$rows/$platform-visits.md" >"$work/agree"
	if [ "$(wc -l <"$work/agree")" -gt 2 ]; then # some were measured on two visits
		cat <<END

## Do two visits agree?

What would be wrong with a prediction that is one visit's measurement, held against another's; each configuration counts once. The canary, visit by
visit: [\`$platform-visits.md\`](validation/$platform-visits.md).

END
		cat "$work/agree"
	fi
fi
also='' figures=''
if grep -q '^kernels	' "$table"; then
	figures='Figures: [errors](figures/errors.svg), [accuracy](figures/accuracy.svg), [kernels](figures/kernels.svg), [by size](figures/kernel_size.svg). '
fi
if grep -q '^replay	' "$table"; then
	sh "$here/validation_replay.sh" "$warpreel" "$table" "$data/measured.tsv" "$rows/$platform-replay.tsv" >"$rows/$platform-replay.md"
	also="Replays beside the machine's own spread: [\`$platform-replay.md\`](validation/$platform-replay.md). "
fi
widths='Nothing was fitted there: intervals are 15 % each way.'
if [ -f "$here/../model/intervals/$platform.tsv" ]; then
	widths="Widths of intervals by class of run, from \`interval\` rows:
[\`$platform.tsv\`](../model/intervals/$platform.tsv)."
fi
recorder=''
if [ -f "$data/recorder-overhead.tsv" ]; then
	recorder=" What recording costs: [\`recorder-overhead.tsv\`](../traces/data/$platform/recorder-overhead.tsv)."
fi
printf '\n%s\n' "${figures}${also}${widths}${recorder}"
