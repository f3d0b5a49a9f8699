#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are none of our solvers, played back. Called by docs/validation.sh.
#   validation_foreign.sh VALIDATION.tsv DATA
# DATA is the folder of a platform's measurements and traces; without foreign.tsv in it nothing is written.
set -eu
table=$1 data=$2
[ -f "$data/foreign.tsv" ] || exit 0
cat <<END

## Programs that are none of our solvers

Recordings played back, against the same program untraced: the median process, and the least and the most in brackets. *As recorded*: the median under the
recorder. \`foreign\`: NVIDIA's multi-GPU programming models, by their own timer; answered with the span of their last kernels in the predicted trace, or a range.
\`public\`: programs of HeCBench and NVIDIA's cuda-samples on one GPU, by their own timers (\`traces/data/programs/public.tsv\`, with the commit of each; answers as they were made blind are in \`public_blind.tsv\`).
Set \`python\`, NVTX ranges of \`traces/data/programs\`, is in
[\`$(basename "$data")-rows.tsv\`](validation/$(basename "$data")-rows.tsv). Where Python bounds, processes differ ([lab/programs.md](lab/programs.md)); the interval does not know of it.

![programs](figures/programs.svg)

Widths are those of programs of others; a development row is answered by the rows of the other programs.

| set | split | program | GPUs | untraced us | as recorded us | predicted us | interval us | error % | inside |
|---|---|---|---:|---:|---:|---:|---|---:|---|
END
awk -F '\t' '
	FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
	file == 1 { program = $at[1, "program"]; least[program] = $at[1, "least_us"]; most[program] = $at[1, "most_us"]; n[program] = $at[1, "processes"]
		traced[program] = $at[1, "traced_us"]
		set[program] = $at[1, "set"]; next }
	($at[2, "set"] == "foreign" || $at[2, "set"] == "public") && $at[2, "model"] == "default" && set[$at[2, "solver"]] == $at[2, "set"] {
		program = $at[2, "solver"]; us = $at[2, "measured_us"] + 0; low = $at[2, "predicted_lo_us"] + 0; high = $at[2, "predicted_hi_us"] + 0
		printf "| %s | %s | `%s` | %d | %.1f (%s to %s, %d) | %s | %.1f | %.1f to %.1f | %+.1f | %s |\n", $at[2, "set"], $at[2, "split"], program, $at[2, "gpus"], us, least[program],
			most[program], n[program], traced[program], $at[2, "predicted_us"], low, high, $at[2, "error_pct"], (us >= low && us <= high ? "yes" : "no") }' \
	"$data/foreign.tsv" "$table"
