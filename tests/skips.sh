#!/bin/sh
# SPDX-License-Identifier: MIT
# skips.sh WARPREEL FOLDER COUNT [SEED]: is a long run that is played in part what all its iterations give?
# COUNT runs drawn over solvers, sizes, numbers of GPUs and exchanges, each a little longer than what is played whole, with and without
# --no-skip. What differs by more than 0.1 % is shown; FOLDER/skips.tsv has a row each. Ends with 1 where one in fifty or more does, or
# where one differs by more than 0.2 %: what is said of the error is two standard errors, and --no-skip has one of its own.
set -eu
warpreel=$1 folder=$2 count=$3 seed=${4:-8}
mkdir -p "$folder"
awk -v count="$count" -v seed="$seed" '
	function random(n) { seed = seed * 48271 % 2147483647; return int(seed / 2147483647 * n) }
	function one_of(words,    n, word) { n = split(words, word, " "); return word[1 + random(n)] }
	BEGIN {
		for (k = 0; k < count; k++) {
			gpus = one_of("1 2 4 8")
			kind = random(10)
			if (kind < 5)
				what = "rbsor --size " int(130 * 2 ^ (random(500) / 100)) " --border " one_of("1 1 2 3 8") " --transport " \
					one_of("peer host") " --kernel-model roofline"
			else if (kind < 7)
				what = "lmsor --size " int(130 * 2 ^ (random(200) / 100)) " --check " one_of("every device 100") " --kernel-model roofline"
			else if (kind < 8)
				what = "jacobi --size " int(256 * 2 ^ (random(300) / 100)) " --border " one_of("1 2 5") " --kernel-model roofline"
			else if (kind < 9) {
				what = "micro --size " (1000 + random(900000)) " --kernel-model roofline"
				gpus = 1
			} else {
				what = "patches --patches " one_of("1 4 9") "x" one_of("16 32") " --kernel-model roofline"
				gpus = 1
			}
			print gpus "\t" what
		}
	}' >"$folder/drawn"
core() {
	# shellcheck disable=SC2086 # words
	"$warpreel" predict $what --gpus "$gpus" --platform h200x8 --format tsv "$@" 2>"$folder/errors" | awk -F '\t' 'NR == 2 { print $4, $9 }'
}
printf 'gpus\trun\titerations\tskipped_us\tall_us\tdifference_pct\n' >"$folder/skips.tsv"
while IFS='	' read -r gpus what; do
	few=$(core --iterations 64) more=$(core --iterations 128)
	iterations=$(awk -v a="${few#* }" -v b="${more#* }" -v gpus="$gpus" 'BEGIN {
		each = (b - a) / 64
		if (each > 0)
			printf "%d", 64 * int((gpus > 1 ? 1.25e6 : 6.5e5) / each / 64)
	}')
	[ -n "$iterations" ] || continue
	skipped=$(core --iterations "$iterations") all=$(core --iterations "$iterations" --no-skip)
	awk -v gpus="$gpus" -v what="$what" -v n="$iterations" -v a="${skipped% *}" -v b="${all% *}" 'BEGIN {
		printf "%s\t%s\t%d\t%s\t%s\t%.4f\n", gpus, what, n, a, b, 100 * (a / b - 1) }' >>"$folder/skips.tsv"
done <"$folder/drawn"
awk -F '\t' '
	NR == 1 { next }
	{ off = $6 < 0 ? -$6 : $6; n++; sum += off; most = off > most ? off : most; exact += off == 0 }
	off > 0.1 { over++; print }
	END {
		printf "%d runs played in part: %.3f %% off those played whole on average, at most %.3f %%; %d by more than 0.1 %%\n", n, sum / n, most, over
		exit !n || over * 50 >= n + 50 || most > 0.2
	}' "$folder/skips.tsv"
