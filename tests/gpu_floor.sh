#!/bin/bash
# SPDX-License-Identifier: MIT
# gpu_floor.sh [SIZE...]: a pair of half-sweeps of lmsor on a GPU against what two steps cost that compute nothing (tests/gpu_floor.cu),
# as a table: whole runs until converged, looked at on the GPU. `floors`: how many times the better floor's two steps; `run`: the same with what a
# graph of such steps takes to be launched and waited for, which is in a run's time, too, and is much of it where iterations are few (65 at size 66).
# Fails where the persistent kernel takes more than 1.5 times the latter, at every size it is given, and where it does not give the count
# and the bits of the tuned one. Unasked it is given sizes that keep to it; on an H200 what is larger than 602 (a block computes for longer) does not.
# $BUILD is the build folder.
set -euo pipefail
build=${BUILD:-build}
[ $# -gt 0 ] || set -- 66 202 402 602
floors=$("$build/tests/gpu_floor")
echo "$floors"
floor=$(awk -F '\t' '$1 == "graph" || $1 == "grid.sync" { if (!least || $4 < least) least = $4 } END { print least }' <<<"$floors")
run=$(awk -F '\t' '$1 == "run" { if (!least || $4 < least) least = $4 } END { print least }' <<<"$floors")

# solve SIZE KERNEL CHECK: iterations, microseconds of an iteration, checksum.
solve() {
	"$build/warpreel" solve lmsor --backend cuda --size "$1" --kernel "$2" --check "$3" --repeat 21 --format tsv |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["iterations"], $at["core_us"] / $at["iterations"], $at["checksum"] }'
}

printf 'size\tkernel\tcheck\titerations\tpair_us\tfloors\trun\n'
rc=0
for size in "$@"; do
	reference=
	for what in tuned:device persistent:device persistent:10; do
		read -r iterations us checksum <<<"$(solve "$size" "${what%:*}" "${what#*:}")"
		awk -v s="$size" -v k="${what%:*}" -v c="${what#*:}" -v n="$iterations" -v us="$us" -v f="$floor" -v r="$run" \
			'BEGIN { printf "%s\t%s\t%s\t%s\t%.3f\t%.2f\t%.2f\n", s, k, c, n, us, us / (2 * f), us / (2 * f + r / n) }'
		[ -n "$reference" ] || reference="$iterations $checksum"
		[ "$what" = persistent:device ] || continue
		[ "$iterations $checksum" = "$reference" ] || { echo "size $size: $what is not what tuned gives"; rc=1; }
		awk -v us="$us" -v f="$floor" -v r="$run" -v n="$iterations" 'BEGIN { exit us > 1.5 * (2 * f + r / n) }' || { echo "size $size: more than 1.5 times the floor of $floor us"; rc=1; }
	done
done
exit $rc
