#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the replay set against what is asked of it, which on small grids is the machine's own spread. Called by docs/validation.sh.
#   validation_replay.sh WARPREEL VALIDATION.tsv MEASURED.tsv ROWS.tsv
# ROWS takes the rows of small grids, and what was allowed.
# A visit whose name ends in a digit is the same stay as the one without it, as in visits.sh.
set -eu
warpreel=$1 work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
said=rows,columns,border,iterations,transport,kernel,precision
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 1 || ($at["set"] == "replay" && $at["model"] == "default")' "$2" |
	"$warpreel" columns --of $said -o "$work/answers" -
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(solver|config|gpus|core_us|visit)$/) keep[++n] = i }
	/^#/ || !NF { next }
	{ for (k = 1; k <= n; k++) printf "%s%s", $keep[k], k < n ? "\t" : "\n" }' "$3" | "$warpreel" columns --of $said -o "$work/measured" -
cat <<'END'
# Replay and the machine's own spread

Asked of a run played back: an error of at most 8 %; on grids of fewer points than 2048 x 2048 at most the larger of that and three times the spread between
visits, of that configuration or the nearest that was measured on more than one.

END
LC_ALL=C awk -F '\t' -v rows_file="$4" '
	function median(n,    i, j, value) { # of list[1..n], sorted here
		for (i = 2; i <= n; i++) {
			value = list[i]
			for (j = i - 1; j > 0 && list[j] > value; j--)
				list[j + 1] = list[j]
			list[j + 1] = value
		}
		return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
	}
	# What the configuration of this line says, kept by its key.
	function note(key,    i) { for (i in at) says[key, i] = $at[i] }
	function points(key) { return says[key, "rows"] * says[key, "columns"] }
	function differs(mine, other, name) { return says[mine, name] != says[other, name] }
	function far(a, b) { return a > b ? log(a / b) : log(b / a) }
	# What makes another configuration a worse stand-in, the heaviest first.
	function distance(mine, other,    d) {
		d = 1e6 * differs(mine, other, "transport") + 1e5 * differs(mine, other, "kernel") + 1e5 * differs(mine, other, "precision")
		d += 1e5 * differs(mine, other, "border") + 1e2 * far(points(mine), points(other))
		return d + far(says[mine, "iterations"], says[other, "iterations"])
	}
	# Spread in per cent of the visits on which a key was measured; -1: fewer than two.
	function spread(key,    s, n, middle) {
		n = 0
		for (s = 1; s <= stays; s++)
			if ((key, stay[s]) in rows)
				list[++n] = sum[key, stay[s]] / rows[key, stay[s]]
		if (n < 2)
			return -1
		middle = median(n)
		return 100 * (list[n] - list[1]) / middle
	}
	# The nearest configuration with a spread; "" where nothing has one.
	function stand_in(key,    k, d, least, nearest) {
		for (k = 1; k <= keys; k++) {
			if (differs(key, name[k], "solver") || differs(key, name[k], "gpus") || spread(name[k]) < 0)
				continue
			d = distance(key, name[k])
			if (nearest == "" || d < least) { nearest = name[k]; least = d }
		}
		return nearest
	}
	FNR == 1 { file++ }
	/^#/ || !NF { next }
	!seen[file]++ { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
	file == 1 {
		key = $at["solver"] "\t" $at["gpus"] "\t" $at["config"]
		s = $at["visit"]
		sub(/[0-9]+$/, "", s)
		if (!(s in stay_seen)) { stay_seen[s] = 1; stay[++stays] = s }
		if (!(key in key_seen)) { key_seen[key] = 1; name[++keys] = key; note(key) }
		sum[key, s] += $at["core_us"]
		rows[key, s]++
		next
	}
	{
		key = $at["solver"] "\t" $at["gpus"] "\t" $at["config"]
		note(key)
		error = $at["error_pct"] + 0
		size = error < 0 ? -error : error
		group = $at["split"] SUBSEP (points(key) < 2048 * 2048)
		count[group]++
		if (size > worst[group]) worst[group] = size
		if (points(key) >= 2048 * 2048) {
			inside[group] += size <= 8
			next
		}
		best = spread(key) >= 0 ? key : stand_in(key)
		own = best == key
		percent = best == "" ? 0 : spread(best)
		allowed = 3 * percent > 8 ? 3 * percent : 8
		inside[group] += size <= allowed
		line[++lines] = sprintf("%s\t%s\t%s\t%+.1f\t%.1f\t%s\t%.1f\t%s", $at["split"], $at["gpus"], $at["config"], error, percent,
			best == "" ? "-" : own ? "its own" : says[best, "config"], allowed, size <= allowed ? "yes" : "no")
	}
	END {
		print "| split | grids | n | within | worst % |\n|---|---|---:|---:|---:|"
		for (k = 1; k <= 4; k++) {
			split_name = k < 3 ? "development" : "interval"
			group = split_name SUBSEP (k % 2)
			if (count[group])
				printf "| %s | %s | %d | %d | %.1f |\n", split_name, k % 2 ? "fewer points than 2048x2048" : "2048x2048 and more", count[group],
					inside[group], worst[group]
		}
		print "split\tgpus\tconfig\terror_pct\tbetween_visits_pct\tof\tallowed_pct\twithin" >rows_file
		for (k = 1; k <= lines; k++)
			print line[k] >rows_file
	}' "$work/measured" "$work/answers"
