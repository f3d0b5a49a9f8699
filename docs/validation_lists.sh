#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up the default answers to the runs of lists that were drawn at random, by set and split. Called by docs/validation.sh.
#   validation_lists.sh VALIDATION.tsv LIST...
# A line of a list is: solver, GPUs, configuration. Nothing where none of its runs is in the table.
set -eu
table=$1
shift
LC_ALL=C awk -F '\t' '
	# Of error[key, 1..n], sorted; linear between order statistics.
	function quantile(key, n, share,    at, below) {
		at = 1 + share * (n - 1)
		below = int(at)
		return below < n ? error[key, below] + (at - below) * (error[key, below + 1] - error[key, below]) : error[key, n]
	}
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
		for (i = ++count[key]; i > 1 && error[key, i - 1] > value; i--) error[key, i] = error[key, i - 1]
		error[key, i] = value
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
			printf "| `%s` | %s | %s | %d | %.2f | %.2f | %.2f | %.2f | %.1f |\n", part[1], part[2], part[3], n, sum[key] / n, quantile(key, n, 0.5), quantile(key, n, 0.9),
				error[key, n], 100 * inside[key] / n
		}
	}' "$@" "$table"
