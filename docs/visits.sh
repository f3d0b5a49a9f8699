#!/bin/sh
# SPDX-License-Identifier: MIT
# Says in Markdown how far visits to machines of one kind agree. Called by docs/validation.sh.
#   WARPREEL=PROGRAM visits.sh MEASURED.tsv CANARY.list
# A visit whose name ends in a digit is the same stay on the same machine as the one without it: A2 is A, later.
set -eu
"${WARPREEL:?}" columns --of rows,columns "$1" | LC_ALL=C awk -F '\t' -v canary="$2" "$(cat "$(dirname "$0")/quantile.awk")"'
	function median(n) { return quantile(n, 0.5) }
	# Most less least over the median, in per cent, of the n numbers in list.
	function spread(n,    middle) { middle = median(n); return 100 * (list[n] - list[1]) / middle }
	# list: the mean of each stay on which `key` was measured. Returns how many.
	function stays_of(key,    s, n) {
		for (s = 1; s <= stays; s++)
			if ((key, stay[s]) in rows)
				list[++n] = sum[key, stay[s]] / rows[key, stay[s]]
		return n + 0
	}
	# What the time of one visit says of another, as an error: the mean over each two of the n visits in list, so that a configuration counts
	# once however many visits measured it.
	function pairs(gpus, n,    i, j, off, sum) {
		for (i = 1; i <= n; i++)
			for (j = 1; j <= n; j++)
				if (i != j) {
					off = 100 * (list[i] / list[j] - 1)
					off = off < 0 ? -off : off
					sum += off
					worst[gpus] = off > worst[gpus] ? off : worst[gpus]
				}
		if (n > 1)
			keep("pair " gpus, sum / (n * (n - 1)))
	}
	function errors(gpus,    kind, i, sum, half) {
		kind = "pair " gpus
		if (!count[kind])
			return
		for (i = 1; i <= count[kind]; i++)
			sum += list[i] = kept[kind, i]
		half = quantile(count[kind], 0.5)
		printf "| %s | %d | %.2f | %.2f | %.2f | %.2f |\n", gpus, count[kind], sum / count[kind], half, quantile(count[kind], 0.9), worst[gpus]
	}
	function keep(kind, value) { kept[kind, ++count[kind]] = value }
	function distribution(kind, name,    i, half) {
		if (!count[kind])
			return
		for (i = 1; i <= count[kind]; i++)
			list[i] = kept[kind, i]
		half = quantile(count[kind], 0.5)
		printf "| %s | %d | %.2f | %.2f | %.2f |\n", name, count[kind], half, quantile(count[kind], 0.9), list[count[kind]]
	}
	FILENAME == canary {
		if ($0 ~ /^#/ || split($0, word, " ") < 3)
			next
		key = word[2] "\t" substr($0, length(word[1]) + length(word[2]) + 3)
		listed[++canaries] = key
		next
	}
	/^#/ || !NF { next }
	!header++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		key = $at["gpus"] "\t" $at["config"]
		v = $at["visit"]
		s = v
		sub(/[0-9]+$/, "", s)
		if (!(v in visit_seen)) { visit_seen[v] = 1; visit[++visits] = v }
		if (!(s in stay_seen)) { stay_seen[s] = 1; stay[++stays] = s }
		if (!(key in key_seen)) { key_seen[key] = 1; name[++keys] = key; points[key] = $at["rows"] * $at["columns"] }
		cell[key, v] = cell[key, v] (cell[key, v] == "" ? "" : ", ") sprintf("%.1f", $at["core_us"])
		sum[key, s] += $at["core_us"]
		value[key, s, ++rows[key, s]] = $at["core_us"] + 0
	}
	END {
		for (i = 2; i <= visits; i++) { # few
			v = visit[i]
			for (j = i - 1; j > 0 && visit[j] > v; j--)
				visit[j + 1] = visit[j]
			visit[j + 1] = v
		}
		printf "| GPUs | configuration |"
		for (v = 1; v <= visits; v++)
			printf " %s |", visit[v]
		printf " between visits %% |\n|---:|---|"
		for (v = 1; v <= visits; v++)
			printf "---:|"
		print "---:|"
		for (c = 1; c <= canaries; c++) {
			key = listed[c]
			if (!(key in key_seen))
				continue # wants more GPUs than these machines have
			split(key, word, "\t")
			printf "| %s | `%s` |", word[1], word[2]
			for (v = 1; v <= visits; v++)
				printf " %s |", (key, visit[v]) in cell ? cell[key, visit[v]] : "-"
			n = stays_of(key)
			if (n > 1)
				printf " %.2f |\n", spread(n)
			else
				print " - |"
		}
		for (k = 1; k <= keys; k++) {
			key = name[k]
			size = points[key] < 2048 * 2048 ? "small" : "large"
			n = stays_of(key)
			split(key, word, "\t")
			pairs(word[1], n)
			most = word[1] + 0 > most ? word[1] + 0 : most
			if (n > 1)
				keep("between " size, spread(n))
			for (s = 1; s <= stays; s++) {
				n = rows[key, stay[s]]
				if (n < 2)
					continue
				for (i = 1; i <= n; i++)
					list[i] = value[key, stay[s], i]
				keep("within " size, spread(n))
			}
		}
		print "\n| all configurations | n | p50 % | p90 % | max % |\n|---|---:|---:|---:|---:|"
		distribution("between small", "between visits, fewer points than 2048x2048")
		distribution("between large", "between visits, 2048x2048 and more")
		distribution("within small", "within one visit, fewer points than 2048x2048")
		distribution("within large", "within one visit, 2048x2048 and more")
		print "\nWhat would be wrong with a prediction that is one visit\x27s measurement of the very configuration, held against another\x27s; each configuration counts once:"
		print "\n| GPUs | configurations | MAPE % | p50 % | p90 % | largest of two visits % |\n|---:|---:|---:|---:|---:|---:|"
		for (g = 1; g <= most; g++)
			errors(g)
	}' "$2" -
