#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up what was measured on visits whose configurations were named before, as the tool answers now. Called by docs/validation.sh.
#   validation_blind.sh VALIDATION.tsv MEASURED.tsv KERNELS.tsv VISIT...
# Such a configuration was first measured on one of these visits; rows of MEASURED stand in the order they were measured in. Nothing where there is none.
# KERNELS, times of kernels alone, need not exist.
set -eu
table=$1 measured=$2 kernels=$3
shift 3
[ -f "$kernels" ] || kernels=/dev/null
LC_ALL=C awk -F '\t' -v visits="$*" "$(cat "$(dirname "$0")/quantile.awk")"'
	BEGIN {
		count = split(visits, visit, " ")
		answer["size"] = answer["gpus"] = "planned"; answer["replay"] = "replayed"; answer["kernels"] = "kernels alone"
		answers = split("planned,replayed,kernels alone", named, ",")
	}
	/^#/ || !NF { next }
	!seen[FILENAME]++ { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ key = $at["solver"] "\t" ("gpus" in at ? $at["gpus"] : 1) "\t" $at["config"] }
	part != "rows" {
		key = part "\t" key
		if (!(key in on))
			on[key] = $at["visit"]
		next
	}
	{ key = ($at["set"] == "kernels" ? "kernels" : "runs") "\t" key }
	$at["model"] == ($at["set"] == "kernels" ? "warps" : "default") && $at["set"] in answer && key in on {
		what = on[key] SUBSEP answer[$at["set"]]
		error = $at["error_pct"] + 0
		rows[what]++
		errors[what, rows[what]] = error < 0 ? -error : error
		bounded[what] += $at["predicted_lo_us"] + 0 > 0
		inside[what] += $at["measured_us"] + 0 >= $at["predicted_lo_us"] + 0 && $at["measured_us"] + 0 <= $at["predicted_hi_us"] + 0
	}
	END {
		for (v = 1; v <= count; v++)
			for (a = 1; a <= answers; a++) {
				what = visit[v] SUBSEP named[a]
				n = rows[what]
				if (!n)
					continue
				if (!lines++) {
					print "\n## Named before they were measured\n"
					print "Configurations that no list had had, named before they were measured ([measuring.md](measuring.md#visits)), as the tool"
					print "answers now. All of them are among the held-out rows as well.\n"
					print "| visit | answer | n | MAPE % | p50 % | p90 % | max % | inside |\n|---|---|---:|---:|---:|---:|---:|---:|"
				}
				sum = 0
				for (i = 1; i <= n; i++)
					sum += list[i] = errors[what, i]
				printf "| %s | %s | %d | %.2f | %.2f | %.2f | %.2f | %s |\n", visit[v], named[a], n, sum / n, quantile(n, 0.5), quantile(n, 0.9), list[n],
					bounded[what] ? inside[what] : "-"
			}
	}' part=runs "$measured" part=kernels "$kernels" part=rows "$table"
