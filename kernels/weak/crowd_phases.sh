#!/bin/sh
# SPDX-License-Identifier: MIT
# The table that crowd.sh fits, from the phases of lists/weak_crowd.list: no number is read off by hand.
#   sh kernels/weak/crowd_phases.sh FOLDER [MHZ] >papers_003_crowd.tsv     (FOLDER: SOLVER-SCHEME-n-l-THREADS-RESIDENT.tsv; MHZ: of its cycles)
# alone_ns: a phase of blocks that have a multiprocessor each (30 resident), median. phase_ns: of the block that came as number `rank`, while all of a
# multiprocessor step: from when each has ended a phase until the first has ended its last; how many phases a block makes then, its last
# one in part; median over multiprocessors. exchange_share: where threads of their own exchange, 1 if an exchange alone (a phase at l = 1)
# takes longer than the steps, else 0; where the computing threads do, what of the phase is no steps. Steps alone: of coarse. Rank `all`:
# coarse, from the begin of a multiprocessor's first block to the end of its last.
set -eu
export LC_ALL=C
folder=$1 mhz=${2:-1980}

# A file: what a row of the table says of it, `alone` or one by blocks there and rank, in nanoseconds.
paces() {
	awk -F '\t' -v mhz="$mhz" -v alone="$2" '
		function median(list, n,    i, j, v) {
			for (i = 2; i <= n; i++) { v = list[i]; for (j = i - 1; j > 0 && list[j] > v; j--) list[j + 1] = list[j]; list[j + 1] = v }
			return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
		}
		# phases that block b has ended at a time, the one it is in in part
		function made(b, when,    k) {
			for (k = 1; k < last[b] && end[b, k] <= when; k++) ;
			return k - 1 + (when - end[b, k - 1]) / (end[b, k] - end[b, k - 1])
		}
		NR == 1 { next }
		{ sm[$1] = $2; end[$1, 0] = $3; end[$1, $4] = $3 + $5 * 1000 / mhz; last[$1] = $4 }
		END {
			if (alone) {
				for (b in sm) { # without the first, at whose begin values are loaded, and the last
					if (last[b] > 2) each[++n] = (end[b, last[b] - 1] - end[b, 1]) / (last[b] - 2)
					else each[++n] = (end[b, last[b]] - end[b, 0]) / last[b]
				}
				printf "%.1f\n", median(each, n)
				exit
			}
			for (b in sm) on[sm[b], ++count[sm[b]]] = b
			for (m in count) {
				n = count[m]
				for (i = 2; i <= n; i++) # who came first
					for (j = i; j > 1 && end[on[m, j], 0] < end[on[m, j - 1], 0]; j--) { b = on[m, j]; on[m, j] = on[m, j - 1]; on[m, j - 1] = b }
				from = 0; to = 1e30; begin = 1e30; over = 0
				for (i = 1; i <= n; i++) {
					b = on[m, i]
					if (end[b, 1] > from) from = end[b, 1]
					if (end[b, last[b]] < to) to = end[b, last[b]]
					if (end[b, last[b]] > over) over = end[b, last[b]]
					if (end[b, 0] < begin) begin = end[b, 0]
				}
				whole[n, ++sms[n]] = over - begin
				for (i = 1; i <= n; i++) {
					b = on[m, i]
					if (last[b] > 2 && to > from) got[n, i, sms[n]] = (to - from) / (made(b, to) - made(b, from))
				}
			}
			for (n = 2; n <= 3; n++) {
				for (i = 1; i <= n; i++) {
					split("", each); k = 0
					for (m = 1; m <= sms[n]; m++) if ((n, i, m) in got) each[++k] = got[n, i, m]
					if (k) printf "%d\t%d\t%.0f\n", n, i - 1, median(each, k)
				}
				split("", each)
				for (m = 1; m <= sms[n]; m++) each[m] = whole[n, m]
				if (sms[n]) printf "%d\tall\t%.0f\n", n, median(each, sms[n])
			}
		}' "$1"
}

printf 'solver\trun\tsteps\texchange_share\talone_ns\tthere\trank\tphase_ns\n'
for file in "$folder"/*-0.tsv; do
	name=$(basename "$file" -0.tsv)
	[ -f "$folder/$name-30.tsv" ] || continue
	solver=${name%%-*} run=${name#*-}
	threads=${name##*-} rest=${name%-*}
	l=${rest##*-} rest=${rest%-*}
	n=${rest##*-}
	alone=$(paces "$folder/$name-30.tsv" 1)
	step=$(paces "$folder/$solver-coarse-60-60-0-30.tsv" 1 | awk '{ print $1 / 60 }')
	case $name in
	*-coarse-*)
		paces "$file" '' | awk -v solver="$solver" -v n="$n" -v step="$step" '$2 == "all" { printf "%s\tcoarse\t1\t0\t%.1f\t%s\tall\t%.0f\n", solver, step, $1, $3 / n }'
		continue
		;;
	esac
	exchange=0
	[ "$threads" = 0 ] || exchange=$(paces "$folder/${rest}-1-$threads-30.tsv" 1)
	paces "$file" '' | awk -v solver="$solver" -v run="$run" -v l="$l" -v t="$threads" -v alone="$alone" -v step="$step" -v exchange="$exchange" '
		$2 != "all" { share = t > 0 ? exchange > l * step : 1 - l * step / alone
			printf "%s\t%s\t%d\t%.2f\t%.0f\t%s\t%s\t%s\n", solver, run, l, share < 0 ? 0 : share, alone, $1, $2, $3 }'
done
