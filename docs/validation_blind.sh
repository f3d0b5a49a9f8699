#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up what was measured on visits whose configurations were named and predicted before, as the tool answers now. Called by docs/validation.sh.
#   validation_blind.sh VALIDATION.tsv MEASURED.tsv VISIT...
# Such a configuration was measured on one of these visits and on no other: the canary, which every visit has, is none. Nothing where there is none.
set -eu
table=$1 measured=$2
shift 2
LC_ALL=C awk -F '\t' -v visits="$*" '
	# Of list[1..n], sorted; linear between order statistics.
	function quantile(share,    at, below) {
		at = 1 + share * (n - 1)
		below = int(at)
		return below < n ? list[below] + (at - below) * (list[below + 1] - list[below]) : list[n]
	}
	function sort_list(    i, j, value) {
		for (i = 2; i <= n; i++) {
			value = list[i]
			for (j = i - 1; j > 0 && list[j] > value; j--)
				list[j + 1] = list[j]
			list[j + 1] = value
		}
	}
	BEGIN { count = split(visits, visit, " ") }
	FNR == 1 { file++ }
	/^#/ || !NF { next }
	!seen[file]++ { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ key = $at["solver"] "\t" $at["gpus"] "\t" $at["config"] }
	file == 1 {
		if (!(key in on) || on[key] == $at["visit"])
			on[key] = $at["visit"]
		else
			on[key] = "several"
		next
	}
	$at["model"] == "default" && ($at["set"] == "size" || $at["set"] == "gpus") && key in on {
		error = $at["error_pct"] + 0
		rows[on[key]]++
		errors[on[key], rows[on[key]]] = error < 0 ? -error : error
		inside[on[key]] += $at["measured_us"] + 0 >= $at["predicted_lo_us"] + 0 && $at["measured_us"] + 0 <= $at["predicted_hi_us"] + 0
	}
	END {
		for (v = 1; v <= count; v++) {
			n = rows[visit[v]]
			if (!n)
				continue
			if (!lines++) {
				print "\n## Named before they were measured\n"
				print "Configurations at sizes that no list had had, predicted before they were measured ([measuring.md](measuring.md#visits)), as the tool"
				print "answers now. All of them are among the held-out rows as well.\n"
				print "| visit | n | MAPE % | p50 % | p90 % | max % | inside |\n|---|---:|---:|---:|---:|---:|---:|"
			}
			sum = 0
			for (i = 1; i <= n; i++)
				sum += list[i] = errors[visit[v], i]
			sort_list()
			printf "| %s | %d | %.2f | %.2f | %.2f | %.2f | %d |\n", visit[v], n, sum / n, quantile(0.5), quantile(0.9), list[n], inside[visit[v]]
		}
	}' "$measured" "$table"
