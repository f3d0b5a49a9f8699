#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables of the notebook that are of one visit's rows, from the files that ship. A case compares them with the pages.
#   usage: lab_tables.sh drawn3 | drawn12 | machines | visits | widths | regions | word | foreign-kernels | two-h100 | four-h100 [families] | four-later | four [families] | four-scaling [h100x4] | choices [PLATFORM] | scaling [PLATFORM] | virtual | timed PLAYED ROWS | alone VISIT ROWS | kinds VISIT | parts | wavefront | streams | solver-widths | kernel-streams | skew | rounds VISIT...
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
all=$root/traces/data
data=$all/h200x4

# splits.md: answers that were written down before visit CB2, against what it measured; lower bounds left out.
drawn3() {
	awk -F '\t' '
		/^#/ || !NF { next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		file == 1 { predicted[$1, $2] = $at["note"] == "lower" ? 0 : $at["predicted_us"]; next }
		$at["visit"] == "CB2" && $at["gpus"] == 1 && predicted[$1, $2] > 0 {
			kind = $1 == "jacobi" || $1 == "bfs" ? "`" $1 "`" : $2 ~ /sync=graph/ ? "`tuned`, graphs" : $2 ~ /indices=/ ? "`paper --indices`" : \
				$2 ~ /kernel=texture/ ? "`texture` " ($2 ~ /f64/ ? "f64" : "f32") : $2 ~ /kernel=persistent/ ? "`persistent`" : "`tuned`, `paper`, `lmsor`"
			error = 100 * (predicted[$1, $2] / $at["core_us"] - 1)
			if (error < 0) error = -error
			n[kind]++; sum[kind] += error
			if (error > most[kind]) most[kind] = error
			all++; total += error
		}
		END {
			count = split("`tuned`, `paper`, `lmsor`;`tuned`, graphs;`paper --indices`;`jacobi`;`texture` f32;`texture` f64;`persistent`;`bfs`", kinds, ";")
			for (k = 1; k <= count; k++) printf "| %s | %d | %.1f | %.1f |\n", kinds[k], n[kinds[k]], sum[kinds[k]] / n[kinds[k]], most[kinds[k]]
			printf "%d answered, %.1f %% off\n", all, total / all
		}' "$data/drawn3_predicted.tsv" "$data/measured.tsv"
}

# splits.md: blind lists that visits FA, FC and FD measured on three machines, as answered before; and those machines against each other.
machines() {
	for row in drawn6:FA drawn6:FC drawn6:FD ways5:FA mlssor_drawn5:FA patches_short:FA patches_drawn7:FD weak_sizes:FD \
		drawn8:GA drawn8:GB drawn8_own:GB drawn9:GC drawn9_own:GC \
		drawn10:HA drawn10:HB drawn11:HA drawn12:HA drawn13:IA drawn16:IB drawn17:IG drawn17_own:IG drawn17:IH drawn18:IJ drawn19:IY drawn20:JG drawn21:JO drawn22:JR drawn23:JT; do
		awk -F '\t' -v name="${row%:*}" -v visit="${row#*:}" "$(cat "$root/docs/quantile.awk")"'
			/^#/ || !NF { next }
			$1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
			{ key = $at["solver"] FS $at["config"] FS $at["gpus"] }
			file == 1 { if (($at["note"] == "" || $at["note"] == "not calibrated") && $at["predicted_us"] != "-") { us[key] = $at["predicted_us"]; low[key] = $at["predicted_lo_us"]; high[key] = $at["predicted_hi_us"] } next }
			$at["visit"] == visit && key in us {
				error = 100 * (us[key] / $at["core_us"] - 1)
				bias += error
				list[++n] = error < 0 ? -error : error
				sum += list[n]
				inside += low[key] <= $at["core_us"] && $at["core_us"] <= high[key]
			}
			END {
				printf "| `%s` | %s | %d | %.1f | %.1f | %.1f | %.1f | %+.1f | %.0f |\n", name, visit, n, sum / n, quantile(n, 0.5), quantile(n, 0.9), quantile(n, 1), bias / n, 100 * inside / n
			}' "$data/${row%:*}_predicted.tsv" "$data/measured.tsv"
	done
	for pair in drawn6:FA:FC drawn6:FA:FD drawn6:FC:FD drawn8:GA:GB drawn10:HA:HB drawn17:IG:IH; do
		list=${pair%%:*} pair=${pair#*:}
		awk -F '\t' -v one="${pair%:*}" -v other="${pair#*:}" '
			$1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
			file == 1 { named[$1, $2, $3]; next }
			($1, $2, $at["gpus"]) in named && $at["visit"] == one { us[$1, $2, $at["gpus"]] = $at["core_us"] }
			($1, $2, $at["gpus"]) in us && $at["visit"] == other {
				by = 100 * ($at["core_us"] / us[$1, $2, $at["gpus"]] - 1)
				n++; mean += by
				if (by < 0) by = -by
				sum += by
				if (by > most) most = by
			}
			END { printf "| %s over %s | %d | %+.1f | %.1f | %.1f |\n", other, one, n, mean / n, sum / n, most }' "$data/${list}_predicted.tsv" "$data/measured.tsv"
	done
}

# splits.md: errors by family of what was answered before visits HA, IA, IB, IG, IJ and IY, mean and bias; and drawn12 measured again on HA against the first time.
drawn12() {
	for row in drawn10:HA drawn11:HA drawn12:HA drawn13:IA drawn16:IB drawn17:IG drawn18:IJ drawn19:IY drawn20:JG drawn21:JO drawn22:JR drawn23:JT; do
		awk -F '\t' -v list="${row%:*}" -v visit="${row#*:}" '
			$1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
			{ key = $at["solver"] FS $at["config"] FS $at["gpus"] }
			file == 1 { if ($at["note"] == "" && $at["predicted_us"] != "-") us[key] = $at["predicted_us"]; next }
			$at["visit"] == visit && key in us {
				error = 100 * (us[key] / $at["core_us"] - 1)
				if (!($1 in n)) name[++count] = $1
				n[$1]++
				bias[$1] += error
				sum[$1] += error < 0 ? -error : error
			}
			END { for (k = 1; k <= count; k++) printf "| `%s` | %s | %d | %.1f | %+.1f |\n", list, name[k], n[name[k]], sum[name[k]] / n[name[k]], bias[name[k]] / n[name[k]] }' \
			"$data/${row%:*}_predicted.tsv" "$data/measured.tsv"
	done
	awk -F '\t' '
		$1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		{ key = $at["solver"] FS $at["config"] FS $at["gpus"] }
		file == 1 { again[key] = $at["core_us"]; next }
		$at["visit"] == "HA" && key in again {
			off = 100 * (again[key] / $at["core_us"] - 1)
			n++
			mean += off
			apart = off < 0 ? -off : off
			sum += apart
			most = apart > most ? apart : most
		}
		END { printf "| again over first | %d | %+.1f | %.1f | %.1f |\n", n, mean / n, sum / n, most }' "$data/drawn12_again.tsv" "$data/measured.tsv"
}

# host.md: planned runs of each visit by today's answers (docs/validation): runs, mean of the signed errors in %, median of those of
# red-black SOR and LMSOR. Of the day: no case compares it.
visits() {
	awk -F '\t' "$(cat "$root/docs/quantile.awk")"'
		FNR == 1 { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		file == 1 { if ($1 == "size" || $1 == "gpus") answer[$at["solver"], $at["config"], $at["gpus"]] = $at["predicted_us"]; next }
		(("" $1), $2, $3) in answer {
			if (!($at["visit"] in runs)) name[++visits] = $at["visit"]
			off = 100 * (answer[$1, $2, $3] / $at["core_us"] - 1)
			runs[$at["visit"]]++
			sum[$at["visit"]] += off
			if ($1 ~ /^(rbsor|lmsor)$/) { of[++n] = $at["visit"]; sor[n] = off }
		}
		END {
			for (k = 1; k <= visits; k++) {
				m = gather(n, of, sor, name[k])
				printf "| %s | %d | %+.1f | %s |\n", name[k], runs[name[k]], sum[name[k]] / runs[name[k]], m ? sprintf("%+.1f", quantile(m, 0.5)) : "-"
			}
		}' "$root/docs/validation/h200x4-rows.tsv" "$data/measured.tsv"
}

# splits.md: what of each round of blind answers was inside, and would have been with intervals as much wider, of logarithms, as 90 % of
# the rounds before it need. GC and later ones were answered with wider ones.
widths() {
	awk -F '\t' "$(cat "$root/docs/quantile.awk")"'
		function round_ends(    k, all, times, rank, then, now) {
			for (k = 1; k <= all_before; k++) list[k] = before[k]
			rank = 0.9 * (all_before + 1)
			rank = int(rank) + (rank > int(rank))
			times = all_before ? quantile(all_before, all_before < 2 ? 1 : (rank < all_before ? rank - 1 : all_before - 1) / (all_before - 1)) : 0
			for (k = 1; k <= n; k++) { then += off[k] <= 1; now += off[k] <= times }
			if (all_before >= 200 && n) printf "| %s | %d | %.0f | %.2f | %.0f |\n", visit, n, 100 * then / n, times, 100 * now / n
			for (k = 1; k <= n; k++) before[++all_before] = off[k]
			n = 0
		}
		$1 == "GC" { exit }
		/^#/ || $1 == "visit" || $3 == "kernels" || $8 == "-" || $9 == "-" || $10 == "inf" { next }
		$1 != visit { round_ends(); visit = $1 }
		{ off[++n] = $7 > $8 ? log($7 / $8) / log($10 / $8) : log($7 / $8) / log($9 / $8) }
		END { round_ends() }' "$data/blind.tsv"
}

# kernels.md: us of a launch over regions of one mesh, for DRAM and for L2, and over the plain one of their size.
regions() {
	awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			said = $at["width"] ? $at["width"] " x " $at["rows"] : "one band"
			if ($at["from"]) said = said ", from word " $at["from"]
			if ($at["follow_lines"]) said = said ", lanes by lines"
			if ($at["halo"]) said = said ", halo"
			if ($at["words"]) said = said ", a word in " $at["every"] " stays"
			if ($at["rows_stay"]) said = said ", a row in " $at["every"] " stays"
			if ($at["parts"] != 3) said = said ($at["parts"] == 1 ? ", fetched alone" : ", put back alone")
			if (!(said in number)) { number[said] = ++n; name[n] = said }
			us[said, $at["side"]] = $at["us"]
		}
		END { for (k = 1; k <= n; k++) printf "| %s | %.1f | %.1f |\n", name[k], us[name[k], 8192], us[name[k], 2048] }' "$data/regions.tsv"
}

# weak.md: how far a law for launches whose blocks raise one word is from what they took, in %, by the atomics of a block.
word() {
	awk -F '\t' "$(cat "$root/docs/quantile.awk")"'
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ launch = $at["operation"] FS $at["loads"] FS $at["stores"] FS $at["resident"] }
		$at["where"] != "dram" || $at["word"] { next }
		!$at["atomics"] { without[launch] = $at["us"]; next }
		{
			y = $at["blocks"] * $at["atomics"] / 1e3
			x = $at["blocks"] * 320 * 4 * ($at["loads"] + $at["stores"]) / 32 / 96 / 1e3
			us = 2 + 0.738 * y + 0.31 * x + 1.37 * x * y / (x + y)
			us = us > without[launch] ? us : without[launch]
			off = 100 * (us / $at["us"] - 1)
			errors[$at["atomics"], ++n[$at["atomics"]]] = off < 0 ? -off : off
		}
		END {
			for (k = split("1 2 5 10 20", of, " "); k; k--) {
				for (i = 1; i <= n[of[k]]; i++) list[i] = errors[of[k], i]
				printf "| %d | %d | %.1f | %.1f | %.1f |\n", of[k], n[of[k]], quantile(n[of[k]], 0.5), quantile(n[of[k]], 0.9), quantile(n[of[k]], 1)
			}
		}' "$data/word.tsv"
}

# programs.md: mean, p50 and p90 of the errors of a kernel's period, in per cent.
foreign_kernels() {
	for rows in blind,1 blind,any development,1; do
		grep -v '^#' "$data/foreign_kernels.tsv" | awk -F '\t' -v OFS='\t' -v rows="$rows" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ split(rows, want, ",") }
			$at["split"] == want[1] && (want[2] == "any" || ($at["instructions"] == 1 && $at["counters"] == 1)) {
				for (k = split("warps_ns roofline_ns peak_ns", of, " "); k; k--) if ($at[of[k]] != "-") {
					error = 100 * ($at[of[k]] / $at["measured_ns"] - 1)
					print k, error < 0 ? -error : error
				}
			}' | sort -t "$(printf '\t')" -k 1,1n -k 2,2g | awk -F '\t' -v rows="$rows" '
			function at(k, q,    place, low) { place = (n[k] - 1) * q + 1; low = int(place); return e[k, low] + (low < n[k] ? (place - low) * (e[k, low + 1] - e[k, low]) : 0) }
			{ e[$1, ++n[$1]] = $2; sum[$1] += $2 }
			END {
				line = "| " rows " | " n[1]
				for (k = 1; k <= 3; k++) line = line " | " (n[k] == n[1] ? sprintf("%.1f / %.1f / %.1f", sum[k] / n[k], at(k, 0.5), at(k, 0.9)) : "-")
				print line " |"
			}'
	done | sed 's/blind,1/blind, counted whole/; s/blind,any/blind, all/; s/development,1/development, counted whole/'
}

# devices.md: answers to runs of visit CC1 on two H100, made before it, by what was calibrated there, and as if they were H200s.
two_h100() {
	there=$root/traces/data/h100x2
	awk -v visit=CC1 "$(cat "$root/docs/quantile.awk" "$root/docs/lab/two_h100.awk")" \
		of="made before" "$there/whatif_predicted.tsv" \
		of="calibrated there" "$there/calibrated_predicted.tsv" \
		of="data sheet" "$there/datasheet_predicted.tsv" \
		of="as H200" "$data/two_predicted.tsv" "$data/drawn4_predicted.tsv" "$data/mlssor_gpus2_predicted.tsv" \
		"$data/patches_gpus2_predicted.tsv" "$data/cb2_patches_predicted.tsv" \
		of="kernels by roofline" "$there/roofline_predicted.tsv" \
		of=measured "$there/measured.tsv"
}

# four.md: the same of visit DA, one to four H200: as answered before, and by what was calibrated there; with families, by solver alone.
four() {
	awk -v visit=DA -v families="$1" "$(cat "$root/docs/quantile.awk" "$root/docs/lab/two_h100.awk")" \
		of="made before" "$data/four_predicted.tsv" "$data/four_added_predicted.tsv" \
		of="calibrated there" "$data/four_calibrated_predicted.tsv" \
		of=measured "$data/measured.tsv"
}

# devices.md: the same of visit EA, four H100: by parts of two other machines, by a host of two, as four H200, and by what was calibrated there.
four_h100() {
	there=$root/traces/data/h100x4
	awk -v visit=EA -v families="$1" "$(cat "$root/docs/quantile.awk" "$root/docs/lab/two_h100.awk")" \
		of="made before" "$there/whatif_predicted.tsv" \
		of="calibrated there" "$there/calibrated_predicted.tsv" \
		of="as two other H100" "$there/completed_predicted.tsv" \
		of="as H200" "$data/four_predicted.tsv" "$data/four_added_predicted.tsv" \
		of=measured "$there/measured.tsv"
}

# devices.md: three blind lists that visit EB measured there.
four_later() {
	there=$root/traces/data/h100x4
	awk -v visit=EB -v families=1 "$(cat "$root/docs/quantile.awk" "$root/docs/lab/two_h100.awk")" \
		of="calibrated there" "$there/later_predicted.tsv" \
		of="parts of two others" "$there/later_whatif_predicted.tsv" \
		of="as two other H100" "$there/later_completed_predicted.tsv" \
		of=measured "$there/measured.tsv" | grep -v "rbsor but texture"
}

# four.md, devices.md: one GPU over G of the same kernel, over G; of four H200, or of four H100.
four_scaling() {
	case $1 in
	h200x4) set -- DA "$data/four_predicted.tsv" "$data/four_added_predicted.tsv" "$data/measured.tsv" ;;
	*) set -- EA "$all/$1/whatif_predicted.tsv" "$all/$1/measured.tsv" ;;
	esac
	visit=$1
	shift
	awk -F '\t' -v visit="$visit" '
		FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
		/size=(16384|32768)x/ && "predicted_us" in at { said[$2, $3] = $at["note"] == "" ? $at["predicted_us"] : 0; next }
		/size=(16384|32768)x/ && $at["visit"] == visit {
			if (!($2 in seen)) { seen[$2]; order[++count] = $2 }
			us[$2, $3] = $at["core_us"]
		}
		function worth(of, key, gpus) { return of[key, 1] && of[key, gpus] ? sprintf("%.3f", of[key, 1] / of[key, gpus] / gpus) : "-" }
		END {
			print "| size | precision | kernel | one GPU, us an iteration | two | four | efficiency of two | answered | of four | answered |"
			print "|---:|---|---|---:|---:|---:|---:|---:|---:|---:|"
			for (k = 1; k <= count; k++) {
				key = order[k]
				if (!us[key, 4]) continue
				split(key, word, " ")
				iterations = key; sub(/.*iterations=/, "", iterations); iterations += 0
				kernel = key; sub(/.*kernel=/, "", kernel); sub(/ scheme=exact border=/, ", border ", kernel)
				sub(/ transport=peer iterations=[0-9]*/, "", kernel); sub(/ depth=/, ", depth ", kernel); sub(/ sync=graph/, "", kernel)
				printf "| %d | %s | %s | %.1f | %.1f | %.1f | %s | %s | %s | %s |\n", substr(word[1], 6), substr(word[2], 11), kernel,
					us[key, 1] / iterations, us[key, 2] / iterations, us[key, 4] / iterations,
					worth(us, key, 2), worth(said, key, 2), worth(us, key, 4), worth(said, key, 4)
			}
		}' "$@"
}

# choices.md: of each grid the fastest as measured, what the answers chose, and how much longer that takes; answers that were written down
# before. A choice that two visits would not agree on is none: within 5 % is right.
choices() {
	awk -F '\t' -v among=1 "$(join_answers)"'
		function name(config) {
			sub(/.*kernel=/, "", config); sub(/ scheme=exact border=/, " ", config); sub(/ transport=/, " ", config)
			sub(/ iterations=[0-9]*/, "", config); sub(/depth=/, "of ", config); sub(/partition=/, "", config); sub(/sync=/, "", config)
			return config
		}
		{
			split($2, word, " ")
			grid = $3 " | " substr(word[1], 6) " | " substr(word[2], 11)
			if (!(grid in n)) order[++grids] = grid
			n[grid]++
			if (!(grid in best) || us < best[grid]) { best[grid] = us; fastest[grid] = $2 }
			if (answer > 0 && (!(grid in least) || answer < least[grid])) { least[grid] = answer; chosen[grid] = $2; takes[grid] = us }
			if (answer > 0) { error = 100 * (answer / us - 1); sum[grid] += error < 0 ? -error : error; answered[grid]++ }
		}
		END {
			print "| GPUs | grid | precision | ways | fastest | us | chosen | us | longer % | errors %, mean |"
			print "|---:|---|---|---:|---|---:|---|---:|---:|---:|"
			for (k = 1; k <= grids; k++) {
				grid = order[k]
				longer = 100 * (takes[grid] / best[grid] - 1)
				right += longer <= 5
				printf "| %s | %d | %s | %.0f | %s | %.0f | %.1f | %.1f |\n", grid, n[grid], name(fastest[grid]), best[grid],
					chosen[grid] == fastest[grid] ? "the same" : name(chosen[grid]), takes[grid], longer, sum[grid] / answered[grid]
			}
			printf "%d of %d within 5 %%\n", right, grids
		}' "$all/$1/choices_predicted.tsv" "$all/$1/choices.tsv"
}

# choices.md: one GPU over two of the same kernel, over two; as measured and as answered.
scaling() {
	awk -F '\t' -v among=0 "$(join_answers)"'
		{
			of = $2; sub(/ iterations=[0-9]*/, "", of)
			if (!(of in seen)) { seen[of]; order[++count] = of }
			measured[of, $3] = us / iterations; said[of, $3] = answer / iterations
		}
		END {
			print "| size | precision | kernel | one GPU, us an iteration | two | efficiency | as answered |"
			print "|---:|---|---|---:|---:|---:|---:|"
			for (k = 1; k <= count; k++) {
				of = order[k]
				if (!measured[of, 1] || !measured[of, 2]) continue
				split(of, word, " ")
				split(substr(word[1], 6), side, "x")
				kernel = of; sub(/.*kernel=/, "", kernel); sub(/ scheme=exact border=/, ", border ", kernel); sub(/ transport=peer/, "", kernel)
				sub(/depth=/, "depth ", kernel); sub(/ sync=graph/, "", kernel)
				printf "| %s | %s | %s | %.2f | %.2f | %.3f | %s |\n", side[1], substr(word[2], 11), kernel, measured[of, 1], measured[of, 2],
					measured[of, 1] / measured[of, 2] / 2, (said[of, 1] && said[of, 2] ? sprintf("%.3f", said[of, 1] / said[of, 2] / 2) : "-")
			}
		}' "$all/$1/choices_predicted.tsv" "$all/$1/choices.tsv"
}

# Of both: `us` and `answer` of a row, 0: refused; those of 96 iterations and a size that is no power of two are choices.
join_answers() {
	cat <<-'END'
		/^#/ { next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		file == 1 { predicted[$3, $2] = $at["predicted_us"]; next }
		{
			us = $at["core_us"]; answer = predicted[$3, $2] + 0
			iterations = $2; sub(/.*iterations=/, "", iterations); iterations += 0
			power = $2 ~ /size=(4096|8192|16384|32768)x/
			if (power == among) next
		}
	END
}

# kernels.md: what launches timed alone make of whole runs, by set, kernel and list, beside the answers as played. Both are of
# `warpreel validate --only runs --models default -o ROWS`; PLAYED with `--timed none`.
timed() {
	for name in sets kernels lists; do
		awk -F '\t' -v by="$name" "$(cat "$root/docs/quantile.awk")"'
			function word(config, name,    n, words, k) {
				n = split(config, words, " ")
				for (k = 1; k <= n; k++) if (index(words[k], name "=") == 1) return substr(words[k], length(name) + 2)
				return ""
			}
			function size(x) { return x < 0 ? -x : x }
			# What is left of a list of errors: mean, p50, p90, largest, bias.
			function said(m, errors,    i, sum, bias) {
				for (i = 1; i <= m; i++) { bias += errors[i]; list[i] = size(errors[i]); sum += list[i] }
				return sprintf("%.2f, %.2f, %.2f, %.1f, %+.1f", sum / m, quantile(m, 0.5), quantile(m, 0.9), quantile(m, 1), bias / m)
			}
			FNR == 1 { file++ }
			/^#/ { next }
			$1 == "set" || $1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; next }
			file == 1 { if ($at["model"] == "default") played[$at["set"], $at["gpus"], $at["config"]] = $at["error_pct"]; next }
			file == 2 { if ($at["model"] == "default") timed[$at["set"], $at["split"], $at["solver"], $at["gpus"], $at["config"]] = $at["error_pct"]; next }
			by == "lists" { name = FILENAME; sub(/.*\//, "", name); sub(/_predicted.tsv/, "", name); named[$at["config"], $at["gpus"]] = named[$at["config"], $at["gpus"]] " " name }
			END {
				for (key in timed) {
					split(key, k, SUBSEP)
					if (k[1] != "size" && k[1] != "gpus" || !((k[1], k[4], k[5]) in played)) continue
					groups = by == "sets" ? k[1] "," k[2] : by == "kernels" ? k[3] "," word(k[5], "kernel") "," word(k[5], "method") : named[k[5], k[4]]
					count = split(groups, group, " ")
					for (g = 1; g <= count; g++) {
						n[group[g]]++
						before[group[g], n[group[g]]] = played[k[1], k[4], k[5]]
						after[group[g], n[group[g]]] = timed[key]
					}
				}
				for (g in n) {
					for (i = 1; i <= n[g]; i++) { one[i] = before[g, i]; two[i] = after[g, i] }
					printf "| %s | %d | %s | %s |\n", g, n[g], said(n[g], one), said(n[g], two)
				}
			}' "$1" "$2" "$data"/drawn[0-9]_predicted.tsv "$data"/drawn1[0-9]_predicted.tsv | sort -t '|' -k 3,3nr
	done
}

# as-gpus.md: blind lists of virtual GPUs as they were answered, and from recordings on as many GPUs.
virtual() {
	awk -F '\t' "$(cat "$root/docs/quantile.awk")"'
		function said(name,    n, i, sum, five, fifteen, both, known) {
			n = gather(all, of, from_true, name)
			for (i = 1; i <= n; i++) if (list[i] != "") { both += list[i]; known++ }
			n = gather(all, of, error, name)
			for (i = 1; i <= n; i++) { sum += list[i]; five += list[i] <= 5; fifteen += list[i] <= 15 }
			printf "| %s | %d | %.1f | %.1f | %.1f | %.1f | %d | %d | %d | %s |\n", name, n, sum / n, quantile(n, 0.5), quantile(n, 0.9), list[n], five, fifteen, known, known ? sprintf("%.1f", both / known) : "-"
		}
		FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.tsv$/, "", name); names[++files] = "`" name "`"; next }
		{ all++; of[all] = names[files]; error[all] = $8 < 0 ? -$8 : $8 + 0; from_true[all] = $10 == "-" ? "" : $10 < 0 ? -$10 : $10 + 0 }
		END { for (f = 1; f <= files; f++) said(names[f]) }' "$data"/virtual_two[2345].tsv
}

# kernels.md: launches of mlssor that a visit timed alone, by kernel, as played and with launches timed alone: ROWS are validate's.
alone() {
	awk -F '\t' -v visit="$1" "$(cat "$root/docs/quantile.awk")"'
		function kernel(config) { match(config, /kernel=[a-z]+/); config = substr(config, RSTART + 7, RLENGTH - 7); return config ~ /^(full|rows)$/ ? "`full`, `rows`" : "`" config "`" }
		function said(name, model,    i, n, sum, bias) {
			for (i = 1; i <= count[name, model]; i++) { bias += error[name, model, i]; list[i] = error[name, model, i] < 0 ? -error[name, model, i] : error[name, model, i]; sum += list[i] }
			n = count[name, model]
			return sprintf("%.1f, %.1f, %.0f, %.0f, %+.1f", sum / n, quantile(n, 0.5), quantile(n, 0.9), quantile(n, 1), bias / n)
		}
		$1 == "set" || $1 == "solver" { for (i in at) delete at[i]; for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		file == 1 { if ($1 == "mlssor" && $at["visit"] == visit) timed[$at["config"]]; next }
		$1 == "kernels" && $at["config"] in timed && $at["model"] ~ /^warps(-timed)?$/ {
			name = kernel($at["config"])
			if (!(name in seen)) { seen[name]; names[++all] = name }
			error[name, $at["model"], ++count[name, $at["model"]]] = $at["error_pct"]
		}
		END { for (k = 1; k <= all; k++) printf "| %s | %d | %s | %s |\n", names[k], count[names[k], "warps"], said(names[k], "warps"), said(names[k], "warps-timed") }' \
		"$data/kernels.tsv" "$2"
}

# splits.md: a round of mlssor as answered then, by today's kernels and the paper's own, by GPUs, and the latter by subdomain.
kinds() {
	awk -F '\t' -v visit="$1" "$(cat "$root/docs/quantile.awk")"'
		function add(name) { if (!(name in n)) names[++all] = name; error[name, ++n[name]] = off; within[name] += inside }
		$1 == visit && $8 != "-" {
			off = 100 * ($8 / $7 - 1)
			inside = $9 <= $7 && $7 <= $10
			own = $5 ~ /kernel=(full|rows) /
			add((own ? "`full`, `rows`" : "today\047s kernels") ", " ($6 == 1 ? "one GPU" : "two"))
			if (own) add("of these, subdomains of " ($5 ~ /subdomain=(4x4|8x8) / ? "4x4 and 8x8" : "16x16 and 32x32"))
		}
		END {
			for (k = 1; k <= all; k++) {
				name = names[k]
				sum = bias = 0
				for (i = 1; i <= n[name]; i++) { bias += error[name, i]; list[i] = error[name, i] < 0 ? -error[name, i] : error[name, i]; sum += list[i] }
				printf "| %s | %d | %.1f | %.1f | %.1f | %.0f | %+.1f | %.0f |\n", name, n[name], sum / n[name], quantile(n[name], 0.5), quantile(n[name], 0.9), quantile(n[name], 1), bias / n[name], 100 * within[name] / n[name]
			}
		}' "$data/blind.tsv"
}

# kernels.md: chunked in parts, blocks of 64 tiles.
parts() {
	awk -F '\t' '
		/^chunk_(11|12|1221)\t64\t/ { name = $1 ~ /1221$/ ? "K12 and K21 in one" : "K" substr($1, 7)
			printf "| %s | %.0f | %.0f | %.0f | %.0f |\n", name, $3, $4, $8, $6 }' "$data/mlssor_parts.tsv"
}

# kernels.md: sweeps of chunked and wavefront, of the copy rate by what must move: the best of all blocks.
wavefront() {
	awk -F '\t' '
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ us = $at["median_ns"] / 1000 }
		$1 == "micro" { match($2, / size=[0-9]+/); copy[16 * substr($2, RSTART + 6, RLENGTH - 6)] = us; next }
		{
			match($2, /size=[0-9]+/)
			side = substr($2, RSTART + 5, RLENGTH - 5) - 2
			key = side FS ($2 ~ /kernel=chunked/ ? "chunked" : "wavefront") FS ($2 ~ /launches=3/ ? 3 : 4)
			if (!(key in best) || us < best[key]) best[key] = us
		}
		function rate(side, kernel, launches) { return copy[4 * side * side] / best[side FS kernel FS launches] }
		END { for (side = 8192; side <= 16384; side *= 2)
			printf "| %d | %.2f | %.2f | %.2f | %.2f |\n", side, rate(side, "chunked", 4), rate(side, "chunked", 3), rate(side, "wavefront", 4), rate(side, "wavefront", 3) }' \
		"$data/mlssor_wavefront.tsv"
}

# kernels.md: us a launch of sine transforms by streams, measured and answered now, of rows that are not blind.
streams() {
	awk -F '\t' '
		NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
		$at["split"] == "blind" || $at["set"] != "size" || $at["config"] !~ /^patches=(8x80|12x88|16x48) block=4.4.4 method=jacobi kernel=sine ghost=zero/ { next }
		{
			set = substr($at["config"], 9)
			sub(/ .*/, "", set)
			way = $at["config"] ~ /order=whole/ ? "all" : $at["config"]
			sub(/.*streams=/, "", way)
			n[set, way]++
			measured[set, way] += $at["measured_us"] / (10 * set)
			now[set, way] += $at["predicted_us"] / (10 * set)
		}
		function row(set, said, of,    k) {
			printf "| %s |", said # a set, and of what
			for (k = 1; k <= 5; k++) printf " %.1f |", of[set, ways[k]] / n[set, ways[k]]
			printf "\n"
		}
		END {
			split("1 2 4 8 all", ways, " ")
			sets = split("8x80 12x88 16x48", name, " ")
			for (s = 1; s <= sets; s++) {
				row(name[s], name[s] " | measured", measured)
				row(name[s], name[s] == "16x48" ? "| both" : "| now", now)
			}
		}' "$root/docs/validation/h200x4-rows.tsv"
}

# splits.md: by what a class's widths are multiplied for each solver, and the share inside without and with it.
solver_widths() {
	awk -F '\t' '
		FNR == 1 { for (i in at) delete at[i]; for (c = 1; c <= NF; c++) at[$c] = c; file++; next }
		file == 1 { if ($1 == "solver") factor[$2] = $4; next }
		$at["set"] != "size" && $at["set"] != "gpus" || $at["refused"] != "no" || !($at["low_pct"] < 0) || !($at["high_pct"] > 0) { next }
		{
			halves = log($at["measured_us"] / $at["predicted_us"])
			halves = halves > 0 ? halves / log(1 + $at["high_pct"] / 100) : halves / log(1 + $at["low_pct"] / 100)
			by = $at["solver"] in factor ? factor[$at["solver"]] : 1
			for (k = 1; k <= 2; k++) {
				of = k == 1 ? $at["solver"] : "all"
				n[of, $at["split"]]++
				without[of, $at["split"]] += halves * by <= 1
				with[of, $at["split"]] += halves <= 1
			}
		}
		function inside(name, kind) { return n[name, kind] ? sprintf("%.1f, %.1f", 100 * without[name, kind] / n[name, kind], 100 * with[name, kind] / n[name, kind]) : "-" }
		function row(name, said) { printf "| %s | %d | %s | %s | %s | %s |\n", name, n[name, "interval"], said, inside(name, "interval"), inside(name, "development"), inside(name, "blind") }
		END {
			names = split("lmsor rbsor jacobi mlssor patches", name, " ")
			for (k = 1; k <= names; k++) row(name[k], sprintf("%.2f", factor[name[k]]))
			row("all", "")
		}' "$root/model/intervals/h200x4.tsv" "$root/docs/validation/h200x4-rows.tsv"
}

# kernels.md: launches of several streams, us a launch, and how far two laws of them are off. alone - gap is what a launch takes that fills
# the GPU for `share`: what is left is latency, which others' launches can hide.
kernel_streams() {
	awk -F '\t' -v gap=2 '
		NR == 1 { next }
		{ key = $1 FS $2; if (!(key in share)) name[++kinds] = key; us[key, $3] = $4; share[key] = $5 }
		# A closed queue of one server and as many customers, one launch each, that stay away for the latency (mean value analysis).
		function queue(key, streams,    k, q, stay, each) {
			for (k = 1; k <= streams; k++) { stay = share[key] * (1 + q); each = (stay + us[key, 1] - share[key]) / k; q = stay / each }
			return each
		}
		function off(answer, measured) { return answer > measured ? answer / measured - 1 : 1 - answer / measured }
		END {
			for (k = 1; k <= kinds; k++) {
				split(name[k], word, FS)
				printf "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", word[1], word[2], us[name[k], 1], us[name[k], 2], us[name[k], 3], us[name[k], 4], us[name[k], 8], share[name[k]]
				for (streams = 2; streams <= 4; streams++) {
					whole = word[1] FS sprintf("%.2f", streams * word[2])
					if (!(whole in share)) continue
					n[word[1]]++
					one[word[1]] += off((us[whole, 1] - gap) / streams, us[name[k], streams])
					closed[word[1]] += off(queue(name[k], streams), us[name[k], streams])
					filled[word[1]] += off(share[name[k]] > us[name[k], 1] / streams ? share[name[k]] : us[name[k], 1] / streams, us[name[k], streams])
				}
			}
			kinds = split("compute both memory", word, " ")
			for (k = 1; k <= kinds; k++) printf "| %s | %d | %.0f | %.0f | %.0f |\n", word[k], n[word[k]], 100 * filled[word[k]] / n[word[k]], 100 * one[word[k]] / n[word[k]], 100 * closed[word[k]] / n[word[k]]
		}' "$data/kernel_streams.tsv"
}

# kernels.md: how far multiprocessors are apart in a round, of the time that DRAM has served them until then: quantiles by round, of all, and the
# width of evenly spread times of that deviation.
skew() {
	awk -F '\t' -v bytes_per_s="$(awk '$1 == "dram_read_bytes_per_s" { print $3 }' "$root/model/platforms/h200x4.ini")" '
		NR == 1 { for (k = 1; k <= NF; k++) if (sub(/^apart/, "", $k)) round[k] = $k + 0; next }
		{ for (k in round) if (round[k] >= 4) printf "%d\t%.6f\n", round[k], $k * bytes_per_s / (round[k] * $1 * 132 * $2 * 1024 * 1e6) }
	' "$data/phases.tsv" | sort -k 1,1n -k 2,2n | awk '
		{ value[$1, ++n[$1]] = $2; all[++count] = $2; if (!($1 in seen)) { seen[$1] = 1; order[++rounds] = $1 } }
		END {
			for (r = 1; r <= rounds; r++) { k = order[r]; printf "| %d | %d | %.1f | %.1f | %.1f |\n", k, n[k], 100 * value[k, int(n[k] / 10) + 1], 100 * value[k, int(n[k] / 2) + 1], 100 * value[k, int(9 * n[k] / 10)] }
			for (i = 2; i <= count; i++) { v = all[i]; for (j = i - 1; j && all[j] > v; j--) all[j + 1] = all[j]; all[j + 1] = v }
			printf "| all | %d | %.1f | %.1f | %.1f |\n", count, 100 * all[int(count / 10) + 1], 100 * all[int(count / 2) + 1], 100 * all[int(9 * count / 10)]
			printf "sm.skew_share: %.4f\n", sqrt(12) * all[int(count / 2) + 1]
		}'
}

# README.md: of the blind rounds that these visits measured, how many runs, how far off as answered then, and how many inside.
rounds() {
	awk -F '\t' -v visits=" $* " '
		index(visits, " " $1 " ") && $8 != "-" && $9 != "-" { off = $8 / $7 - 1; sum += off < 0 ? -off : off; n++; inside += $9 <= $7 && $7 <= $10 }
		END { printf "%d runs on one and two GPUs, were %.1f %% off, and %.0f %% lay inside\n", n, 100 * sum / n, 100 * inside / n }' "$data/blind.tsv"
}

case ${1:-} in
alone) alone "${2:?VISIT}" "${3:?ROWS}" ;;
kinds) kinds "${2:?VISIT}" ;;
parts) parts ;;
wavefront) wavefront ;;
streams) streams ;;
solver-widths) solver_widths ;;
kernel-streams) kernel_streams ;;
skew) skew ;;
rounds) shift; rounds "${@:?VISIT}" ;;
virtual) virtual ;;
timed) timed "${2:?PLAYED}" "${3:?ROWS}" ;;
drawn3) drawn3 ;;
drawn12) drawn12 ;;
machines) machines ;;
visits) visits ;;
widths) widths ;;
regions) regions ;;
word) word ;;
foreign-kernels) foreign_kernels ;;
two-h100) two_h100 ;;
four) four "${2:+1}" ;;
four-h100) four_h100 "${2:+1}" ;;
four-later) four_later ;;
four-scaling) four_scaling "${2:-h200x4}" ;;
choices) choices "${2:-h100x1}" ;;
scaling) scaling "${2:-h100x1}" ;;
*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac
