#!/bin/sh
# SPDX-License-Identifier: MIT
# hypothetical.sh WARPREEL FOLDER >hypothetical.tsv
# How far answers are off for a machine that was left out of what they were made from: the widths of intervals of machines that nobody
# measured (make hypothetical-intervals). FOLDER gets the rows behind them. What is left out, and what stands in for it:
#   device  H100 by h200x4's [sm], H200 by h100x1's, each with what data sheets say of the other: rate of device memory, size of L2 and
#           with it L2's rates. Host and links are those of the machine itself. Kernels are those timed alone, and whole runs on one GPU.
#           Its width is of the device alone: what the other device's inside moves of an answer, which takes two predictions and no measurement.
#   host    h200x8's runs by h200x4 and h200x4's by h200x8: the same GPUs, links and driver in another machine; up to 4 GPUs.
#   gpus    h200x8's runs on 8 GPUs by h200x4.
#   link    none was left out: the wider of host and device.
#   roofline  nothing is left out: runs on h200x4 whose kernels are bounds, the 5th and 95th percentile of how far these err.
#   bounds  nothing is left out: kernels timed alone (development rows), over their bounds, the median of each; the 5th percentile, and the 90th, since above is all that is asked.
# A width is of all ways of a part together: it is for a machine that is none of these. How it would have done for one of them is said
# at the top of the table: what the other direction alone gives, how many answers of this way that holds, with the 95 % interval of that share
# (Wilson 1927), and the same of the solvers and kernels that the other direction ran, too. Of a device: what the other direction's inside moves,
# beside what the model errs by (squares, as logarithms): runs as their class on h200x4, kernels as 90 % of what the device that stands in
# errs by at home. H200 runs whose split is `interval` set widths of their class and are left out of the test.
# JOBS: answers at once (default: as many as cores), each of EACH processes (default 1).
set -eu
# hypothetical.sh --one WARPREEL FILE PART OPTIONS...: what xargs starts.
if [ "$1" = --one ]; then
	warpreel=$2 name=$3 only=$4
	shift 4
	"$warpreel" validate --only "$only" --jobs "${EACH:-1}" "$@" -o "$name.tsv" >"$name.summary" 2>"$name.messages" || { cat "$name.messages" >&2; exit 1; }
	exit
fi
warpreel=$1 folder=$2 data=traces/data
mkdir -p "$folder"

# scaled RATIO L2: what the data sheets' ratio of two devices makes of the one that is known
scaled() {
	for key in dram_read dram_write dram_copy dram_update; do
		echo "--set sm.${key}_bytes_per_s=$1x"
	done
	# L2 is as many slices as its size, each of the same rate: 49 and 48 bytes a clock of 80 and 96 slices by calibration.
	for key in l2_read_bytes l2_write_bytes l2_copy_bytes l2_updated_copy_bytes l2_wide_copy_bytes atomic_rate; do
		echo "--set sm.${key}_per_s=$2x"
	done
	echo "--set sm.l2_reuse_bytes=$2x --set sm.l2_reversed_bytes=$2x --set sm.l2_near_bytes=$2x --set device.name=left-out"
}
# NVIDIA, data sheets of H100 SXM5 80 GB and H200 SXM: 3.35 and 4.8 TB/s; L2 as the driver reports it: 50 and 60 MiB.
to_h100=$(scaled 0.6979 0.8333) to_h200=$(scaled 1.4328 1.2)
memory="--set device.memory_bytes=150109880320" # of the H200, whose runs do not all fit an H100

# left_out PART FROM TO ONLY OPTIONS...: rows of FROM's answers to what was measured on TO; a line for xargs.
left_out() {
	name=$folder/$1-$2-$3
	shift 3
	echo "$warpreel $name $*"
}
one_gpu() { awk -F '\t' 'NR == 1 || $3 == 1' "$1"; }
one_gpu $data/h200x4/measured.tsv >"$folder/h200-one.tsv"
awk -F '\t' 'NR == 1 || $3 <= 4' $data/h200x8/measured.tsv >"$folder/h200x8-four.tsv"
awk -F '\t' 'NR == 1 || $3 == 8' $data/h200x8/measured.tsv >"$folder/h200x8-eight.tsv"
awk -F '\t' 'NR == 1 || $3 <= 4' $data/h200x4/measured.tsv >"$folder/h200x4-four.tsv"

# Those that take longest come first.
# shellcheck disable=SC2086 # options
{
	left_out inside h200x4 own-runs runs --platform h200x4 --timed none
	left_out host h200x4 h200x8-runs runs --models default --platform h200x8 --host h200x4 --set device.name=left-out --measured "$folder/h200x8-four.tsv"
	left_out host h200x8 h200x4-runs runs --models default --platform h200x4 --host h200x8 --set device.name=left-out --measured "$folder/h200x4-four.tsv"
	left_out gpus h200x4 h200x8-runs runs --models default --platform h200x8 --host h200x4 --set device.gpus=8 --set device.name=left-out --measured "$folder/h200x8-eight.tsv"
	left_out device h200x4 h100x1-kernels kernels --platform h200x4 $to_h100 --kernels $data/h100x1/kernels.tsv
	left_out device h100x1 h200x4-kernels kernels --platform h100x1 $to_h200 --kernels $data/h200x4/kernels.tsv
	left_out device h200x4 h100x1-runs runs --models default --platform h100x1 --device h200x4 $to_h100 --measured $data/h100x1/measured.tsv
	left_out device h100x1 h200x4-runs runs --models default --platform h200x4 --device h100x1 $to_h200 $memory --measured "$folder/h200-one.tsv"
	# Both devices as they are, and both directions, asked for the runs and kernels of the H200: two predictions each.
	left_out inside h200x4 own-kernels kernels --platform h200x4 --timed none
	left_out inside h100x1 own-runs runs --models default --platform h100x1 $memory --measured "$folder/h200-one.tsv"
	left_out inside h100x1 own-kernels kernels --platform h100x1 --kernels $data/h200x4/kernels.tsv
	left_out inside h100x1 by-h200x4-runs runs --models default --platform h100x1 --device h200x4 $to_h100 $memory --measured "$folder/h200-one.tsv"
	left_out inside h100x1 by-h200x4-kernels kernels --platform h200x4 $to_h100 --kernels $data/h200x4/kernels.tsv
	left_out inside h100x1 home-kernels kernels --platform h100x1
} | xargs -P "${JOBS:-$(nproc)}" -L 1 sh "$0" --one

# Of runs and kernels: by how much each direction moves an answer of a class, and what that would have been worth for the other.
# Rows: what (self, other: H200 by itself and by the H100; known, by: H100 by itself and by the H200, asked the same; back: what was
# measured on the H100, by the H200; home: the same by itself), runs or kernels, class, split, key, measured, predicted, low, high.
for of in runs kernels; do
	for rows in self:inside-h200x4-own other:device-h100x1-h200x4 known:inside-h100x1-own by:inside-h100x1-by-h200x4 back:device-h200x4-h100x1 \
		home:inside-h100x1-home; do
		[ "$of" = kernels ] || [ "$rows" != home:inside-h100x1-home ] || continue
		awk -F '\t' -v OFS='\t' -v what="${rows%%:*}" -v of=$of '
			NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
			$at["gpus"] == 1 && $at["set"] != "replay" && $at["model"] == (of == "runs" ? "default" : "warps") && (of == "runs") == ($at["set"] != "kernels") {
				print what, of, of == "runs" ? $at["class"] : "kernels", $at["split"], $at["solver"] " " $at["config"] " " $at["measured_us"],
					$at["measured_us"], $at["predicted_us"], $at["predicted_lo_us"], $at["predicted_hi_us"]
			}' "$folder/${rows#*:}-$of.tsv"
	done
done >"$folder/devices"

# Share of n, and its interval of 95 %.
share='function share(inside, n,    p, z, middle, half) {
	p = inside / n
	z = 1.96
	middle = (p + z * z / 2 / n) / (1 + z * z / n)
	half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / 4 / n / n)
	return sprintf("%.1f %% (%.1f to %.1f)", 100 * p, 100 * (middle - half), 100 * (middle + half))
}'
printf 'set\tclass\tlow\thigh\tpoints\n'
echo "# Written by model/intervals/hypothetical.sh (make hypothetical-intervals), which says what was left out of what."
awk -F '\t' "$(cat docs/quantile.awk) $share"'
	function abs(x) { return x < 0 ? -x : x }
	function beside(a, b) { return sqrt(a * a + b * b) }
	# 90 % of what a direction moves, or of what a device errs by at home: the rank is (n + 1) 0.9.
	function most(of_class, from,    k, n) {
		if ((of_class, from) in points)
			return known_most[of_class, from]
		delete list
		n = 0
		for (k = 1; k <= moves; k++)
			if (move_class[k] == of_class && (from == "" || move_from[k] == from))
				list[++n] = abs(move[k])
		points[of_class, from] = n
		return known_most[of_class, from] = n ? quantile(n, n > 9 ? 0.9 + 0.9 / n : 1) : 0
	}
	function keep(from, of_class, moved) { move_from[++moves] = from; move_class[moves] = of_class; move[moves] = moved }
	# Of answers as played, whose rows come after the others: launches timed alone are of one device.
	FILENAME == shipped {
		sub(/-played$/, "-warps", $2)
		if ($1 == "size")
			low_of[$2] = log(1 + $3)
		if ($1 == "size")
			high_of[$2] = log(1 + $4)
		next
	}
	{ answer[$1, $2, $5] = $7 }
	$1 == "self" { split_of[$2, $5] = $4; low[$2, $5] = $8 / $7; high[$2, $5] = $9 / $7 }
	$1 == "other" && ("self", $2, $5) in answer { keep("other", $3, log(answer["self", $2, $5] / $7)) }
	$1 == "by" && ("known", $2, $5) in answer { keep("by", $3, log(answer["known", $2, $5] / $7)) }
	$1 == "self" && $2 == "kernels" { keep("self", "home", log($6 / $7)) }
	$1 == "home" { keep("home", "home", log($6 / $7)) }
	$1 == "other" || $1 == "back" { asked[++n] = $0 }
	END {
		for (k = 1; k <= n; k++) {
			split(asked[k], a, "\t")
			way = (a[1] == "other" ? "h100x1-h200x4-" : "h200x4-h100x1-") a[2]
			if (!(way in of)) {
				of[way] = 0
				order[++ways] = way
			}
			of[way]++
			off[way] += abs(a[7] / a[6] - 1)
			if (a[2] == "runs" && a[1] == "other" && (split_of["runs", a[5]] == "interval" || !(("runs", a[5]) in split_of)))
				continue
			device = most(a[3], a[1] == "other" ? "by" : "other")
			if (a[2] == "kernels") {
				down = -(up = most("home", a[1] == "other" ? "home" : "self"))
			} else if (a[1] == "other") {
				down = log(low["runs", a[5]])
				up = log(high["runs", a[5]])
			} else {
				down = low_of[a[3]]
				up = high_of[a[3]]
			}
			error = log(a[6] / a[7])
			judged[way]++
			inside[way] += error >= -beside(down, device) && error <= beside(up, device)
		}
		for (k = 1; k <= ways; k++)
			printf "# device-%s: %d answers, %.1f %% off; of %d that set no width %s inside what model and other direction give\n", order[k], of[order[k]],
				100 * off[order[k]] / of[order[k]], judged[order[k]], share(inside[order[k]], judged[order[k]])
		for (k = 1; k <= moves; k++)
			if (!(move_class[k] in done) && move_class[k] != "home") {
				done[move_class[k]] = 1
				half = most(move_class[k], "")
				printf "device\t%s\t%.4f\t%.4f\t%d\n", move_class[k], exp(-half) - 1, exp(half) - 1, points[move_class[k], ""]
			}
	}' shipped=model/intervals/h200x4.tsv model/intervals/h200x4.tsv "$folder/devices" >"$folder/device-rows"
grep '^#' "$folder/device-rows"

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

awk -F '\t' "$(cat docs/quantile.awk) $share"'
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
	END {
		for (k = 1; k <= NR; k++) {
			if (part[k] != "device" && !(way[k] in told)) {
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
			if (part[k] != "device")
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
	}' "$folder/errors" >"$folder/rows"
grep '^#' "$folder/rows"
cat "$folder/device-rows" "$folder/rows" | grep -v '^#'

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
			m = gather(n, class, error, class[k])
			if (m > 18)
				printf "roofline\t%s\t%.4f\t%.4f\t%d\n", class[k], quantile(m, 0.05), quantile(m, 0.95), m
		}
	}' "$folder/inside-h200x4-own-runs.tsv"

awk -F '\t' "$(cat docs/quantile.awk)"'
	NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
	$at["set"] == "kernels" && $at["split"] == "development" && $at["model"] == "roofline" {
		kernel = $at["config"] ~ /kernel=/ ? $at["config"] : ""
		sub(/.*kernel=/, "", kernel)
		sub(/ .*/, "", kernel)
		of[++rows] = $at["solver"] " " kernel
		ratio[rows] = $at["measured_us"] / $at["predicted_us"] - 1
	}
	END {
		for (i = 1; i <= rows; i++) {
			if (of[i] in done)
				continue
			done[of[i]] = 1
			middle[++kernels] = quantile(gather(rows, of, ratio, of[i]), 0.5)
		}
		for (i = 1; i <= kernels; i++)
			list[i] = middle[i]
		printf "bounds\tkernels\t%.4f\t%.4f\t%d\n", quantile(kernels, 0.05), quantile(kernels, 0.9), kernels
	}' "$folder/inside-h200x4-own-kernels.tsv"
