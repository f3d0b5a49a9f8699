#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are none of our solvers, played back. Called by docs/validation.sh.
#   validation_foreign.sh VALIDATION.tsv DATA
# DATA is the folder of a platform's measurements and traces; without foreign.tsv in it nothing is written.
set -eu
table=$1 data=$2
[ -f "$data/foreign.tsv" ] || exit 0
cat <<'END'

## Programs that are none of our solvers

Recordings of programs of others, played back, against the same program untraced: the median process, and the least and the most in brackets. Split `development`: what is
taken out for the recorder was found by looking at such programs, so these rows are no test of it. *As recorded* is what the program took under the recorder.

`foreign`: NVIDIA's multi-GPU programming models, by their own timer. For several GPUs the answer is the span of the last kernels of its loop in the predicted trace
(`replay -o`), the mean over processes; for one it is the range `Jacobi solve`.

`python`: PyTorch, CuPy, Triton, NCCL and JAX (`traces/data/programs/`), twelve NVTX ranges of ten or twenty steps that end with a synchronization, a range in us
(`replay --range segment`). Untraced and recorded processes took turns; the recording with the median time is the one played. Where Python bounds, a process' own host time
is what is played, and processes differ: *Python alone* is a loop without any CUDA in each ([measuring.md](measuring.md#programs-of-others)). The interval does not know of it.

| set | program | GPUs | untraced us | as recorded us | Python alone ms: untraced, recorded | predicted us | interval us | error % | inside |
|---|---|---:|---:|---:|---:|---:|---|---:|---|
END
awk -F '\t' '
	FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
	file == 1 { program = $at[1, "program"]; least[program] = $at[1, "least_us"]; most[program] = $at[1, "most_us"]; n[program] = $at[1, "processes"]
		traced[program] = $at[1, "traced_us"]; plain[program] = $at[1, "plain_ms"] == "-" ? "-" : $at[1, "plain_ms"] ", " $at[1, "traced_plain_ms"]
		set[program] = $at[1, "set"]; next }
	$at[2, "model"] == "default" && set[$at[2, "solver"]] == $at[2, "set"] {
		program = $at[2, "solver"]; us = $at[2, "measured_us"] + 0; low = $at[2, "predicted_lo_us"] + 0; high = $at[2, "predicted_hi_us"] + 0
		printf "| %s | `%s` | %d | %.1f (%s to %s, %d) | %s | %s | %.1f | %.1f to %.1f | %+.1f | %s |\n", $at[2, "set"], program, $at[2, "gpus"], us, least[program],
			most[program], n[program], traced[program], plain[program], $at[2, "predicted_us"], low, high, $at[2, "error_pct"], (us >= low && us <= high ? "yes" : "no") }' \
	"$data/foreign.tsv" "$table"
