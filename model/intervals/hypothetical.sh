#!/bin/sh
# SPDX-License-Identifier: MIT
# hypothetical.sh WARPREEL FOLDER >hypothetical.tsv
# How far answers are off for a machine that was left out of what they were made from: the widths of intervals of machines that nobody
# measured (make hypothetical-intervals). FOLDER gets the rows behind them. What is left out, and what stands in for it:
#   device  H100 by h200x4's [sm], H200 by h100x1's, each with what data sheets say of the other: rate of device memory, size of L2.
#           Host and links are those of the machine itself. Kernels are those timed alone, and whole runs on one GPU.
#   host    h200x8's runs by h200x4 and h200x4's by h200x8: the same GPUs, links and driver in another machine; up to 4 GPUs.
#   gpus    h200x8's runs on 8 GPUs by h200x4.
#   link    none was left out: the wider of host and device.
#   roofline  nothing is left out: runs on h200x4 whose kernels are bounds, the 5th and 95th percentile of how far these err.
# A width is of all ways of a part together: it is for a machine that is none of these. How it would have done for one of them is said
# at the top of the table: what the other direction alone gives, how many answers of this way that holds, with the 95 % interval of that share
# (Wilson 1927), and the same of the solvers and kernels that the other direction ran, too.
set -eu
warpreel=$1 folder=$2 data=traces/data
mkdir -p "$folder"

# scaled RATIO L2: what the data sheets' ratio of two devices makes of the one that is known
scaled() {
	for key in dram_read dram_write dram_copy dram_update; do
		echo "--set sm.${key}_bytes_per_s=$1x"
	done
	echo "--set sm.l2_reuse_bytes=$2x --set sm.l2_reversed_bytes=$2x --set device.name=left-out"
}
# NVIDIA, data sheets of H100 SXM5 80 GB and H200 SXM: 3.35 and 4.8 TB/s; L2 as the driver reports it: 50 and 60 MiB.
to_h100=$(scaled 0.6979 0.8333) to_h200=$(scaled 1.4328 1.2)

# left_out PART FROM TO OPTIONS...: rows of FROM's answers to what was measured on TO
left_out() {
	name=$folder/$1-$2-$3 only=$4
	shift 4
	"$warpreel" validate --only "$only" "$@" -o "$name.tsv" >"$name.summary" 2>"$name.messages" || { cat "$name.messages" >&2; return 1; }
}
one_gpu() { awk -F '\t' 'NR == 1 || $3 == 1' "$1"; }
one_gpu $data/h200x4/measured.tsv >"$folder/h200-one.tsv"
awk -F '\t' 'NR == 1 || $3 <= 4' $data/h200x8/measured.tsv >"$folder/h200x8-four.tsv"
awk -F '\t' 'NR == 1 || $3 == 8' $data/h200x8/measured.tsv >"$folder/h200x8-eight.tsv"
awk -F '\t' 'NR == 1 || $3 <= 4' $data/h200x4/measured.tsv >"$folder/h200x4-four.tsv"

# shellcheck disable=SC2086 # options
{
	left_out device h200x4 h100x1-kernels kernels --platform h200x4 $to_h100 --kernels $data/h100x1/kernels.tsv
	left_out device h100x1 h200x4-kernels kernels --platform h100x1 $to_h200 --kernels $data/h200x4/kernels.tsv
	left_out device h200x4 h100x1-runs runs --models default --platform h100x1 --device h200x4 $to_h100 --measured $data/h100x1/measured.tsv
	left_out device h100x1 h200x4-runs runs --models default --platform h200x4 --device h100x1 $to_h200 --set device.memory_bytes=150109880320 \
		--measured "$folder/h200-one.tsv"
}
left_out host h200x4 h200x8-runs runs --models default --platform h200x8 --host h200x4 --set device.name=left-out --measured "$folder/h200x8-four.tsv"
left_out host h200x8 h200x4-runs runs --models default --platform h200x4 --host h200x8 --set device.name=left-out --measured "$folder/h200x4-four.tsv"
left_out gpus h200x4 h200x8-runs runs --models default --platform h200x8 --host h200x4 --set device.gpus=8 --set device.name=left-out --measured "$folder/h200x8-eight.tsv"
"$warpreel" validate --only runs --platform h200x4 -o "$folder/roofline.tsv" >/dev/null 2>"$folder/roofline.messages"

# part, from which to which, class, measured over predicted less 1
for part in device host gpus; do
	for rows in "$folder/$part"-*.tsv; do
		awk -F '\t' -v part=$part -v way="$(basename "$rows" .tsv)" '
			NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
			$at["model"] == "default" && $at["set"] != "replay" || $at["set"] == "kernels" && $at["model"] == "warps" {
				kernel = match($at["config"], / ?kernel=[^ ]*/) ? substr($at["config"], RSTART, RLENGTH) : ""
				sub(/^ /, "", kernel)
				print part "\t" way "\t" ($at["set"] == "kernels" ? "kernels" : $at["class"]) "\t" $at["measured_us"] / $at["predicted_us"] - 1 "\t" $at["solver"] " " kernel
			}' "$rows"
	done
done >"$folder/errors"

awk -F '\t' "$(cat docs/quantile.awk)"'
	{ part[NR] = $1; way[NR] = $2; class[NR] = $3; error[NR] = $4; family[NR] = $5 }
	# The machines of a way, without what was asked of them.
	function machines(w) {
		sub(/-[^-]*$/, "", w)
		return w
	}
	# Is a way that of w (other: another direction, in which the same was asked)?
	function of_way(k, w, other) {
		if (!other)
			return w == "" || way[k] == w
		return machines(way[k]) != machines(w) && (class[k] == "kernels") == (w ~ /kernels$/)
	}
	# Rows of a part and class, of a way or of those in other directions: list[1..n].
	function pick(p, w, other, c,    k, n) {
		for (k = 1; k <= NR; k++)
			if (part[k] == p && (c == "" || class[k] == c) && of_way(k, w, other))
				list[++n] = error[of[n] = k]
		return n
	}
	# An edit may err to either side, and who was left out has but one: alike to both, as a ratio. The rank is (n + 1) 0.9.
	function fit(n,    k, half) {
		for (k = 1; k <= n; k++) {
			list[k] = log(1 + list[k])
			list[k] = list[k] < 0 ? -list[k] : list[k]
		}
		half = quantile(n, n > 9 ? 0.9 + 0.9 / n : 1)
		low = exp(-half) - 1
		high = exp(half) - 1
	}
	function mape(n,    k, sum) {
		for (k = 1; k <= n; k++)
			sum += list[k] / (1 + list[k]) * (list[k] < 0 ? -1 : 1)
		return 100 * sum / n
	}
	# Share of n, and its interval of 95 %.
	function share(inside, n,    p, z, middle, half) {
		p = inside / n
		z = 1.96
		middle = (p + z * z / 2 / n) / (1 + z * z / n)
		half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / 4 / n / n)
		return sprintf("%.1f %% (%.1f to %.1f)", 100 * p, 100 * (middle - half), 100 * (middle + half))
	}
	END {
		print "set\tclass\tlow\thigh\tpoints"
		print "# Written by model/intervals/hypothetical.sh (make hypothetical-intervals), which says what was left out of what."
		for (k = 1; k <= NR; k++) {
			if (!(way[k] in told)) {
				told[way[k]] = 1
				n = pick(part[k], way[k], 0, "")
				printf "# %s: %d answers, %.1f %% off", way[k], n, mape(n)
				inside = known = known_inside = 0
				for (i = 1; i <= n; i++) {
					kept[i] = error[of[i]]
					kept_family[i] = family[of[i]]
				}
				others = pick(part[k], way[k], 1, "")
				if (others > 18) {
					delete both
					for (i = 1; i <= others; i++)
						both[family[of[i]]] = 1
					fit(others)
					for (i = 1; i <= n; i++) {
						hit = kept[i] >= low && kept[i] <= high
						inside += hit
						known += kept_family[i] in both
						known_inside += hit && kept_family[i] in both
					}
					printf ", %s inside the interval that the other direction gives", share(inside, n)
					if (known && known < n)
						printf "; of the %d with solvers and kernels of theirs %s", known, share(known_inside, known)
				}
				printf "\n"
			}
		}
		for (k = 1; k <= NR; k++) {
			if (part[k] SUBSEP class[k] in done)
				continue
			done[part[k], class[k]] = 1
			if ((n = pick(part[k], "", 0, class[k])) < 10)
				continue
			fit(n)
			printf "%s\t%s\t%.4f\t%.4f\t%d\n", part[k], class[k], low, high, n
			if (part[k] == "gpus")
				continue
			if (!(class[k] in most))
				order[++classes] = class[k]
			least[class[k]] = low < least[class[k]] ? low : least[class[k]]
			most[class[k]] = high > most[class[k]] ? high : most[class[k]]
		}
		for (k = 1; k <= classes; k++)
			printf "link\t%s\t%.4f\t%.4f\t0\n", order[k], least[order[k]], most[order[k]]
	}' "$folder/errors"

awk -F '\t' "$(cat docs/quantile.awk)"'
	NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
	$at["model"] == "roofline" && $at["class"] != "-" {
		class[++n] = $at["class"]
		error[n] = $at["measured_us"] / $at["predicted_us"] - 1
	}
	END {
		for (k = 1; k <= n; k++) {
			if (class[k] in done)
				continue
			done[class[k]] = 1
			m = 0
			for (i = 1; i <= n; i++)
				if (class[i] == class[k])
					list[++m] = error[i]
			if (m > 18)
				printf "roofline\t%s\t%.4f\t%.4f\t%d\n", class[k], quantile(m, 0.05), quantile(m, 0.95), m
		}
	}' "$folder/roofline.tsv"
