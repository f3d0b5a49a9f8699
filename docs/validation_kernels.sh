#!/bin/sh
# SPDX-License-Identifier: MIT
# The part of docs/validation.md about kernels alone. Called by docs/validation.sh.
#   validation_kernels.sh VALIDATION.tsv SUMMARY.tsv
# Rows that are not of split `fit` are counted in sums only: a list of them, by kernel, would invite to fit them.
set -eu
table=$1 summary=$2
tab=$(printf '\t')

cat <<'END'
## Kernels alone

Time of one launch, when equal launches follow each other in a graph on one GPU. `warps`: from the instructions of a kernel's profile, its counts,
and the inside of the device; no time of a kernel is an input, and no constant was fitted ([numbers.md](numbers.md#kernels-alone)). `roofline` is the baseline: no kernel is shorter than the shortest the device showed, and
none moves its bytes faster than a copy kernel of the same working set. `scaled`, for the kernels that were recorded on one GPU: their durations
interpolated. `unseen`: whole kernels that nobody looked at while the models were built.

| split | model | n | MAPE % | p50 % | p90 % | max % |
|---|---|---:|---:|---:|---:|---:|
END
awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["set"] == "kernels" { printf "| %s | %s | %s | %s | %s | %s | %s |\n", $at["split"], ($at["model"] == "warps" ? "**warps**" : $at["model"]), $at["n"],
		$at["MAPE_pct"], $at["p50_pct"], $at["p90_pct"], $at["max_pct"] }' "$summary"

# |error|, error, model, kernel (with precision or work), size, block, measured, predicted, configuration: fit rows alone
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
awk -F '\t' -v OFS='\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["set"] == "kernels" && $at["split"] == "fit" {
		count = split($at["config"], word, " ")
		delete key
		for (i = 1; i <= count; i++) {
			middle = index(word[i], "=")
			key[substr(word[i], 1, middle - 1)] = substr(word[i], middle + 1)
		}
		error = $at["error_pct"] + 0
		kernel = $at["solver"] " " key["kernel"] (key["precision"] != "" ? " " key["precision"] : "")
		print (error < 0 ? -error : error), error, $at["model"], kernel, key["size"], (key["block"] != "" ? key["block"] : "-"), (key["work"] > 0 ? key["work"] : "-"),
			$at["measured_us"], $at["predicted_us"], $at["measured_mad_us"], $at["visit_spread_pct"]
	}' "$table" >"$rows"

cat <<'END'

The ten worst rows of `warps` among those of split `fit`:

| kernel | size | block | work | measured us | MAD us | between visits % | predicted us | error % |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
END
awk -F '\t' '$3 == "warps"' "$rows" | LC_ALL=C sort -t "$tab" -k1,1gr -k4,4 -k5,7 | head -n 10 |
	awk -F '\t' '{ printf "| `%s` | %s | %s | %s | %.2f | %.2f | %.1f | %.2f | %+.1f |\n", $4, $5, $6, $7, $8, $10, $11, $9, $2 }'

cat <<'END'

By kernel, `fit` rows; bias is the mean of the signed errors:

| kernel | n | warps MAPE % | bias % | max % | roofline MAPE % |
|---|---:|---:|---:|---:|---:|
END
awk -F '\t' '
	$3 == "warps" { n[$4]++; sum[$4] += $1; bias[$4] += $2; if ($1 > worst[$4] + 0) worst[$4] = $1 }
	$3 == "roofline" { count[$4]++; roofline[$4] += $1 }
	END { for (k in n) printf "| `%s` | %d | %.2f | %+.2f | %.2f | %s |\n", k, n[k], sum[k] / n[k], bias[k] / n[k], worst[k],
		(count[k] ? sprintf("%.1f", roofline[k] / count[k]) : "-") }' "$rows" | LC_ALL=C sort
cat <<'END'

![Kernel time predicted against measured](figures/kernels.svg)

![Time of a launch against the size](figures/kernel_size.svg)

![What warps wait for](figures/stalls.svg)

What each mechanism is worth: the mean error with one part of the device made ideal (`--ideal`), on `fit` rows.

![Errors with one part off](figures/ablation.svg)
END
echo
