#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up the default answers to the runs of lists that were drawn at random, by set and split. Called by docs/validation.sh.
#   validation_lists.sh VALIDATION.tsv LIST...
# A line of a list is: solver, GPUs, configuration. Nothing where none of its runs is in the table.
set -eu
table=$1
shift
LC_ALL=C awk -F '\t' "$(cat "$(dirname "$0")/quantile.awk")"'
	FILENAME != ARGV[ARGC - 1] {
		if (/^#/ || !NF) next
		name = FILENAME
		sub(/.*\//, "", name)
		split($0, word, " ")
		config = $0
		sub(/^[^ ]* [^ ]* /, "", config)
		of[word[1] "\t" word[2] "\t" config] = name
		next
	}
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["model"] == "default" {
		run = $at["solver"] "\t" $at["gpus"] "\t" $at["config"]
		if (!(run in of)) next
		key = of[run] "\t" $at["set"] "\t" $at["split"]
		if (!(key in count)) order[++keys] = key
		value = $at["error_pct"] < 0 ? -$at["error_pct"] : $at["error_pct"] + 0
		error[key, ++count[key]] = value
		sum[key] += value
		inside[key] += $at["measured_us"] + 0 >= $at["predicted_lo_us"] + 0 && $at["measured_us"] + 0 <= $at["predicted_hi_us"] + 0
	}
	END {
		if (!keys) exit
		print "\n## Lists drawn at random\n"
		print "Configurations of `traces/data/lists/`, written down before anything of them was measured.\n"
		print "| list | set | split | n | MAPE % | p50 % | p90 % | max % | coverage % |\n|---|---|---|---:|---:|---:|---:|---:|---:|"
		for (k = 1; k <= keys; k++) {
			key = order[k]
			n = count[key]
			split(key, part, "\t")
			for (i = 1; i <= n; i++) list[i] = error[key, i]
			printf "| `%s` | %s | %s | %d | %.2f | %.2f | %.2f | %.2f | %.1f |\n", part[1], part[2], part[3], n, sum[key] / n, quantile(n, 0.5), quantile(n, 0.9),
				list[n], 100 * inside[key] / n
		}
	}' "$@" "$table"
