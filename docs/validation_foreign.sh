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

PyTorch, CuPy, Triton, NCCL and JAX (`traces/data/programs/`), recorded and played back, on the same machine: twelve NVTX ranges of ten or twenty steps that end with a
synchronization (`warpreel replay TRACE --range segment`), a range in us. Untraced and recorded processes took turns; a process counts with the median of its
ranges, and the table has the median process and, in brackets, the least and the most. The recording with the median time is the one played. Nothing here is fitted or held
out, and what is taken out for the recorder was found by looking at these programs, so they are no test of it. Where the GPU bounds, the answer is within a few per cent. Where Python does, a process' own host time is what is played, and processes differ, untraced ones
too: a loop of Python without any CUDA takes up to twice as long at one time as at another on such a machine ([measuring.md](measuring.md#programs-of-others)), and everything else is longer in proportion. The column *Python alone* is
that loop (median before and after the ranges): where it is not the same, two machines were measured. The interval does not know of it.

The other part of what Python-bound programs differed by was the recorder's, and is taken out now: they ask `cudaGetDevice` and the like ten times a launch,
and each such call takes longer while others are recorded ([recorder.md](recorder.md), "Calls that only ask"; `host.ask_ns`). The machine whose calls price the answer is the platform's,
not the one that recorded.

| program | GPUs | does | untraced us | recorded us | Python alone ms: untraced, recorded | predicted us | interval us | error % | inside |
|---|---:|---|---:|---:|---:|---:|---|---:|---|
END
tail -n +2 "$data/foreign.tsv" | while IFS="$(printf '\t')" read -r program gpus what range ranges measured least most processes traced traced_least traced_most recordings plain traced_plain; do
	"$WARPREEL" replay "$data/foreign/$program.wrt.zst" --platform "$platform" --range "$range" --format tsv 2>/dev/null |
		awk -F '\t' -v program="$program" -v gpus="$gpus" -v what="$what" -v ranges="$ranges" -v measured="$measured" \
			-v untraced="$measured ($least to $most, $processes)" -v traced="$traced ($traced_least to $traced_most, $recordings)" -v plain="$plain, $traced_plain" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ predicted = $at["core_us"] / ranges; low = $at["core_lo_us"] / ranges; high = $at["core_hi_us"] / ranges
			  printf "| `%s` | %d | %s | %s | %s | %s | %.1f | %.1f to %.1f | %+.1f | %s |\n", program, gpus, what, untraced, traced, plain,
				predicted, low, high, 100 * (predicted - measured) / measured, (measured + 0 >= low && measured + 0 <= high ? "yes" : "no"); rows++ }
			END { exit rows != 1 }'
done
