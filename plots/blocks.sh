#!/bin/sh
# SPDX-License-Identifier: MIT
# Blocks of one launch on a few multiprocessors, as timed on the GPU (instrumented kernels), and those of the one that is simulated.
#   blocks.sh WARPREEL PLATFORM TRACE > blocks.tsv
# TRACE holds instrumented launches of one run (warpreel record -- warpreel solve ... --blocks); its last launch is taken. The simulated ones are
# what `warpreel explain` says of the same configuration; where it has no answer, the table holds the measured ones alone.
set -eu
warpreel=$1 platform=$2 trace=$3
sms=3

run=$("$warpreel" info --format tsv "$trace" | awk -F '\t' '$1 == "run" { last = $NF } END { print last }')
solver=${run%% *}
measured=$("$warpreel" info --blocks --format tsv "$trace")
last=$(printf '%s\n' "$measured" | awk -F '\t' 'NR > 1 { launch = $1; kernel = $2 } END { print launch "\t" kernel }')
launch=${last%%	*} kernel=${last#*	}
printf 'who\tkernel\tpanel\tsm\tslot\tbegin_us\tend_us\tconfig\n'
printf '%s\n' "$measured" | awk -v launch="$launch" -v wanted=$sms -v config="$run" '
	BEGIN { FS = OFS = "\t" }
	NR > 1 && $1 == launch {
		if (!(count && $5 == list[count]))
			list[++count] = $5
		n++; sm[n] = $5; slot[n] = $6; begin[n] = $8; end[n] = $9; kernel = $2
	}
	END {
		shown = count < wanted ? count : wanted
		for (k = 0; k < shown; k++) # spread over the device
			panel[list[1 + int(k * (count - 1) / (shown > 1 ? shown - 1 : 1))]] = k + 1
		for (i = 1; i <= n; i++)
			if (sm[i] in panel)
				print "measured", kernel, panel[sm[i]] - 1, sm[i], slot[i], begin[i] / 1000, end[i] / 1000, config
	}'
options=$(printf 'solver\tconfig\n%s\t%s\n' "$solver" "${run#* }" | "$warpreel" columns --of options - | tail -n 1 | cut -f 3)
# shellcheck disable=SC2086 # words
"$warpreel" explain "$solver" --platform "$platform" --blocks --format tsv $options 2> /dev/null |
	awk -v kernel="$kernel" -v config="$run" '
	BEGIN { FS = OFS = "\t" }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["kernel"] == kernel {
		if ($at["begin_ns"] < before) # the next launch
			exit
		before = $at["begin_ns"]
		print "simulated", kernel, 0, 0, $at["slot"], $at["begin_ns"] / 1000, $at["end_ns"] / 1000, config
	}' || true
