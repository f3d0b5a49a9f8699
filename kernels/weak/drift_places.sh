#!/bin/sh
# SPDX-License-Identifier: MIT
# By how much multiprocessors differ in their phases, without noting ages and with it, from the runs of lists/weak_drift.list: a row a run.
#   sh kernels/weak/drift_places.sh FOLDER [MHZ] >papers_003_drift.tsv     (FOLDER: phases-RUN.tsv and noting-RUN.tsv; MHZ: of its cycles)
# A run has 30 resident blocks. phase_ns, noted_ns: means over multiprocessors, of phases of blocks inside the grid without a block's first and last. sd_ns,
# noted_sd_ns: between multiprocessors. added_ns, added_sd_ns: what noting adds on the same multiprocessor (note_ns and note_spread_ns of model/cosim/h200.tsv, where
# an exchange binds). first_ns, rest_ns: what the first places of the order had in noted phases above the mean of all (first_places: 11), and the rest.
set -eu
export LC_ALL=C
folder=$1 mhz=${2:-1980}
printf 'run\tphase_ns\tsd_ns\tnoted_ns\tnoted_sd_ns\tadded_ns\tadded_sd_ns\tfirst_ns\trest_ns\n'
for noted in "$folder"/noting-*.tsv; do
	run=$(basename "$noted" .tsv)
	run=${run#noting-}
	awk -F '\t' -v run="$run" -v mhz="$mhz" '
		FNR == 1 { file++; next }
		file == 2 && !($1 in begun) { begun[$1] = $3; sm_of[$1] = $2 }
		{ x = $1 % 15; y = int($1 / 15); if ($1 == last && file == last_file) { phases++ } else { phases = 1; last = $1; last_file = file; held = 0 }
			if (phases > 2 && x > 0 && x < 14 && y > 0 && y < 23) { # the one before, so that the last is left out
				if (held) { n[file, $2]++; sum[file, $2] += held }
				held = ($5 - before) * 1000 / mhz }
			before = $5; sms[$2] }
		function spread(what, list,    s, k, m, v) {
			for (s in sms) if ((what, s) in list) { k++; m += list[what, s]; v += list[what, s] ^ 2 }
			mean = m / k; v = v / k - mean ^ 2
			return v > 0 ? sqrt(v) : 0 }
		END {
			for (s in sms) for (f = 1; f <= 2; f++) if (n[f, s] > 20) pace[f, s] = sum[f, s] / n[f, s]
			for (s in sms) if ((1, s) in pace && (2, s) in pace) pace[3, s] = pace[2, s] - pace[1, s]
			sd1 = spread(1, pace); m1 = mean; sd2 = spread(2, pace); m2 = mean; sd3 = spread(3, pace); m3 = mean
			# places by the ids of the blocks that began first: stripes in reading order, squares 5 across and 6 down
			for (b in begun) { rank = 0; for (o in begun) rank += begun[o] < begun[b] || (begun[o] == begun[b] && o + 0 < b + 0); if (rank < 30) early[b] }
			for (b in early) { id = 0; for (o in early) id += o + 0 < b + 0
				if (!((2, sm_of[b]) in pace)) continue
				if (id < 11) { firsts++; first += pace[2, sm_of[b]] - m2 } else { rests++; rest += pace[2, sm_of[b]] - m2 } }
			printf "%s\t%.0f\t%.1f\t%.0f\t%.1f\t%.0f\t%.1f\t%.1f\t%.1f\n", run, m1, sd1, m2, sd2, m3, sd3, first / firsts, rest / rests
		}' "$folder/phases-$run.tsv" "$noted"
done
