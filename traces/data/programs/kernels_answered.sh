#!/bin/sh
# SPDX-License-Identifier: MIT
# What is answered for kernels of public programs, from their recordings and profiles: rows of foreign_kernels.tsv with warps_ns,
# roofline_ns and peak_ns made anew. Rows of programs that FOLDER has no recording of are left out.
#
#     sh traces/data/programs/kernels_answered.sh FOLDER [PLATFORM]
#
# FOLDER holds PROGRAM.wrt.zst (warpreel record) and PROGRAM_profile.wrt.zst (warpreel profile). Each answer is a period back to back:
#   warps_ns      the kernel model warps
#   roofline_ns   counted DRAM bytes over the rate of a copy; - where they were not counted
#   peak_ns       the longest of that, of L2's sectors over its rates, and of instructions over the rate of issue
# and stream.kernel_gap_ns at such a duration.
set -eu
export LC_ALL=C
folder=${1:?FOLDER of recordings and profiles}
platform=${2:-h200x4}
root=$(cd "$(dirname "$0")/../../.." && pwd)
warpreel=${WARPREEL:-$root/build/warpreel}
table=$root/traces/data/$platform/foreign_kernels.tsv
file=$root/model/platforms/$platform.ini
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -v '^#' "$table" | awk -F '\t' 'NR > 1 && !seen[$2]++ { print $2 }' | while read -r program; do
	trace=$folder/$program.wrt.zst profile=$folder/${program}_profile.wrt.zst
	if [ ! -f "$trace" ] || [ ! -f "$profile" ]; then continue; fi
	"$warpreel" explain "$trace" --kernel-profiles "$profile" --platform "$platform" --no-bounds --format tsv |
		awk -F '\t' -v OFS='\t' '$6 == "ideal" && $7 == "nothing" { print "warps", $2 " " $3 " " $4, $8 * 1000 }'
	# Metrics and the rows of a dump are both in the order of the profiles.
	"$warpreel" metrics --profile "$profile" --format tsv |
		awk -F '\t' -v OFS='\t' 'NR > 1 { print "metrics", NR - 2, $1 " " $2 " " $3, $5 / 32 * $6 }'
	"$warpreel" dump "$profile" | awk -F '\t' -v OFS='\t' '
		/^# profile\t/ { for (i = 2; i <= NF; i++) at[$i] = i }
		$1 == "profile" { print "counters", n++, $at["l2ReadSectors"], $at["l2WriteSectors"], $at["dramReadBytes"], $at["dramWriteBytes"] }'
	echo "end	$program"
done >"$work/answers"

awk -F '\t' -v OFS='\t' '
	# The platform: the first value of a key, and the curve of gaps.
	FILENAME == ARGV[1] {
		if ($0 ~ /^\[base/) based = 1
		else if ($0 ~ /^\[/) based = 0
		if (!based && $0 ~ /^[a-z]/) { name = $0; sub(/ =.*/, "", name); sub(/^[^=]*= */, "") }
		else if (!based && $0 ~ /^\t/) sub(/^\t/, "")
		else { name = ""; next }
		n = split($0, part, " ")
		if (name == "kernel_gap_duration_ns") for (k = 1; k <= n; k++) x[++xs] = part[k]
		if (name == "kernel_gap_ns") for (k = 1; k <= n; k++) y[++ys] = part[k]
		if (!(name in key)) key[name] = $0 + 0
		next
	}
	function gap(ns,    k) {
		if (ns <= x[1]) return y[1]
		for (k = 2; k <= xs; k++) if (ns <= x[k]) return y[k - 1] + (y[k] - y[k - 1]) * (ns - x[k - 1]) / (x[k] - x[k - 1])
		return y[xs]
	}
	function most(a, b) { return a > b ? a : b }
	function period(ns) { return ns < 0 ? "-" : sprintf("%.0f", ns + gap(ns)) }
	FILENAME == ARGV[2] && $1 == "warps" { warps[$2] = $3 }
	FILENAME == ARGV[2] && $1 == "metrics" { kernel[$2] = $3; issued[$2] = $4 }
	FILENAME == ARGV[2] && $1 == "counters" {
		dram[$2] = $5 < 0 || $6 < 0 ? -1 : ($5 + $6) / key["dram_copy_bytes_per_s"] * 1e9
		l2[$2] = most($3 * 32 / key["l2_read_bytes_per_s"], $4 * 32 / key["l2_write_bytes_per_s"]) * 1e9
	}
	FILENAME == ARGV[2] && $1 == "end" {
		for (k in kernel) {
			name = $2 " " kernel[k]
			issue = issued[k] * key["issue_interval"] / (key["sub_partitions"] * key["sm_count"] * key["clock_mhz"]) * 1000
			answer[name] = (kernel[k] in warps ? period(warps[kernel[k]]) : "-") OFS period(dram[k]) OFS period(most(most(dram[k], l2[k]), issue))
		}
		split("", kernel); split("", warps)
	}
	FILENAME != ARGV[3] || /^#/ { next }
	$1 == "split" { print; next }
	{
		grid = $4; block = $5; gsub(/,/, "x", grid); gsub(/,/, "x", block)
		name = $2 " " $3 " " grid " " block
		if (name in answer) print $1, $2, $3, $4, $5, $6, $7, $8, answer[name], $12, $13
	}' "$file" "$work/answers" "$table"
