#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are none of our solvers, played back. Called by docs/validation.sh.
#   WARPREEL=PROGRAM validation_foreign.sh DATA
# DATA is the folder of a platform's measurements and traces; without foreign.tsv in it nothing is written.
set -eu
data=$1 platform=$(basename "$1")
[ -f "$data/foreign.tsv" ] || exit 0
cat <<'END'

## Programs that are none of our solvers

PyTorch, CuPy, Triton, NCCL and JAX (`traces/data/programs/`), each recorded once and played back, on the same machine: twelve NVTX ranges of ten or twenty steps that end with a
synchronization (`warpreel replay TRACE --range segment`), a range in us. Measured: medians of twelve ranges, untraced; the median of four processes, the least and the most of them. Nothing
here is fitted or held out. Where the GPU bounds, the answer is within a few per cent. Where Python does, a process' own host time
is what is played, and processes differ, up to a factor of two: on this machine the recorded ones were slow in all they did, between their calls, too. On another (one H200) a recorded
`stencil_cupy` was no slower than untraced ones, and bound to two cores it was not on one such machine and was on the next. Why is not known, and the interval does not know of it.

| program | GPUs | does | untraced us | processes us | recorded us | predicted us | interval us | error % | inside |
|---|---:|---|---:|---|---:|---:|---|---:|---|
END
tail -n +2 "$data/foreign.tsv" | while IFS="$(printf '\t')" read -r program gpus what range ranges measured least most _ traced; do
	"$WARPREEL" replay "$data/foreign/$program.wrt.zst" --platform "$platform" --range "$range" --format tsv 2>/dev/null |
		awk -F '\t' -v program="$program" -v gpus="$gpus" -v what="$what" -v ranges="$ranges" -v measured="$measured" -v least="$least" -v most="$most" -v traced="$traced" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ predicted = $at["core_us"] / ranges; low = $at["core_lo_us"] / ranges; high = $at["core_hi_us"] / ranges
			  printf "| `%s` | %d | %s | %.1f | %.1f to %.1f | %.1f | %.1f | %.1f to %.1f | %+.1f | %s |\n", program, gpus, what, measured, least, most, traced,
				predicted, low, high, 100 * (predicted - measured) / measured, (measured + 0 >= low && measured + 0 <= high ? "yes" : "no") }'
done
