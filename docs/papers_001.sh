#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/papers/001.md from the tables that `warpreel papers 001 -o FOLDER` wrote, and from what was measured and computed for it. Called by
# make papers.
#   papers_001.sh FOLDER PLATFORM MEASURED.tsv
set -eu
export LC_ALL=C
from=$1 root=$(cd "$(dirname "$0")/.." && pwd)
data=$root/traces/data today=$root/traces/data/h100x1

table() { cat "$from/$1.md"; }

# rows FILE: a tab-separated file without its comments as a Markdown table.
rows() {
	grep -v '^#' "$1" | awk -F '\t' '{ line = "|"; for (i = 1; i <= NF; i++) line = line " " $i " |"; print line
		if (NR == 1) { line = "|"; for (i = 1; i <= NF; i++) line = line "---|"; print line } }'
}

# A column of the summary.
summary() { awk -F '\t' -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[column]; exit }' "$from/summary.tsv"; }

cat <<PAGE
# Block relaxation on 3D patches (Rodriguez et al.)

M. Rodriguez Rodriguez, B. Philip, Z. Wang, M. Berrill, *Block-Relaxation Methods for 3D Constant-Coefficient Stencils on GPUs and Multicore CPUs*.
The solver is \`patches\` (\`warpreel solve patches --help\`). This page is written by \`make papers\`; its tables are those of \`warpreel papers 001\`.

## How the paper is read

- "Relative error" of figure 4a is the ratio of residual norms after three steps: with f = 0, ghosts 0 and uniform start values the values span
  the figure's axis, which no other reading does. Neither figure 4 nor figures 5, 6, 9, 10 print numbers.
- Chaotic Gauss-Seidel is a data race by design. The reference draws an order of the blocks anew in every step, and may let a wave of blocks see
  nothing of each other; a GPU reads and writes with relaxed atomics. Neither is ever compared bit for bit, but within the band between
  Gauss-Seidel in order and block Jacobi with omega 1.
- Table 2 counts cells three times, once a step, and one row is misprinted.
- Times are of three steps, with all patches transferred to the GPU and back in each; ghost updates and inversion are left out, as printed.
- Bars of figures 7 and 8 whose labels cannot be told apart are not used.

## Figure 4: how well blocks smooth

\`||r3|| / ||r0||\`, computed by the reference on the CPU:

$(rows "$data/papers/001_factors.tsv")

The factor of a step in the end, block Jacobi, from 2^3 to 8^3: .99813, .99776, .99721, .99628, .99554, .99445, .99264 (a unit test).

Where blocks do not divide a patch, the last ones are cut, with inverses of their own, or whole ones overlap those before (section 4.3) and give the
values that these do not:

$(rows "$data/papers/001_edges.tsv")

Overlapping makes block Jacobi better, most where little is left over, and Gauss-Seidel worse by 6 to 9 % unless almost nothing is left over; and
its last blocks cost as much as whole ones, where cut ones cost what they have.

## Tables 1 and 2

$(table table1)

$(table table2)

## Figures 7 and 8

\`transfers\`: the run planned depth-first and played with kernels that only move u, f and v. \`products\`: the matrix-vector products alone, each block
reading its inverse from L2 at the rate of the device file. Simulated is the longer of both, since they run beside each other. Nothing is
fitted; but the rate of L2 in the device file is an estimate, and all times follow it. $(summary n) times of the X2090: median error
$(summary median_pct) %, largest $(summary max_pct) %, all too short by about as much.

$(table errors)

![Published and simulated](../figures/papers_001.svg)

What is not simulated, or not yet measured: the kernels by sine transforms and by cuBLAS as they are now (an H100 took 457 us for a step of 96
patches of 64^3 in an earlier form of the former, 2.3 times what moving its 24 bytes a cell takes, since its loads waited for each other plane by
plane); the kernels warp by warp, of which there is no kernel profile yet; the CPU; the C2050, whose
bars have no labels that are certain; block sizes other than 8^3 (figure 9) and the crossover of figure 6.

## Measured today: one H100 (visit P1)

Kernels alone, a step of 8 patches of 64^3; copy16 moved $(awk -F '\t' '/copy16/ { printf "%.2f", 2 * 16 * 67108864 / $8 / 1000 }' "$today/papers_001_kernels.tsv") TB/s on the same visit. Times are medians a launch, which for
\`gemv-split\` is half of a step.

| configuration | us |
|---|---:|
$(awk -F '\t' 'NR > 1 && $1 == "patches" { printf "| `%s` | %.1f |\n", $2, $8 / 1000 }' "$today/papers_001_kernels.tsv")

Of the paper's mappings (C) and (B) take the same time in blocks of 8^3; (A) is the same as (C) there and only slower by its indices. A patch a
thread block (strategy 1) leaves all but 8 multiprocessors idle.

Three steps, every patch sent there and back in each. Predicted is by the model \`roofline\` of the platform file, made after these were measured,
with nothing fitted to them:

| set | order | measured us | predicted us | error % |
|---|---|---:|---:|---:|
$(awk -F '\t' -v predict="${WARPREEL:-$root/build/warpreel} predict patches --platform h100x1 --kernel-model roofline --format tsv" 'NR > 1 {
	split($2, word, " "); line = predict; for (k in word) line = line " --" word[k]
	line | getline header; line | getline answer; close(line); split(answer, part, "\t")
	split(word[1], set, "="); for (k in word) if (word[k] ~ /^order=/) order = substr(word[k], 7)
	printf "| %s | %s | %.0f | %.0f | %+.1f |\n", set[2], order, $6, part[4], 100 * (part[4] / $6 - 1) }' "$today/papers_001.tsv")

In figure 6 breadth-first wins with patches of 16^3 and depth-first with patches of 64^3. Both hold here. The prediction has the second and
misses the first, where both orders differ by 6 %.

Over 1 to 100 patches of either size, both orders are predicted before they are measured: \`traces/data/papers/001_predicted.tsv\`. There depth-first
is never slower by more than 1 %, and the curves do not cross; from 10 patches of 64^3 on it is faster, by 18 % at 100.

### Figure 5: threads of the CPU

Speed-up over one thread on the 16 cores beside that GPU (a virtual machine; whether its cores are physical ones it does not tell), 16 patches of
64^3 in blocks of 8^3:

| threads | $(awk -F '\t' '!/^#/ && NR > 3 && $1 == 16 { printf "%s, %s | ", $2, $3 }' "$today/papers_001_cpu.tsv")
|---|$(awk -F '\t' '!/^#/ && $1 == 16 { printf "---:|" }' "$today/papers_001_cpu.tsv")
$(awk -F '\t' '/^#/ || /^threads/ { next } { t[$1, $2 $3] = $4; if (!(($2 $3) in seen)) { seen[$2 $3] = 1; name[++n] = $2 $3 } }
	END { for (threads = 2; threads <= 16; threads *= 2) { line = "| " threads " |"
		for (k = 1; k <= n; k++) line = line sprintf(" %.1f |", t[1, name[k]] / t[threads, name[k]]); print line } }' "$today/papers_001_cpu.tsv")

The paper has 18 on 24 cores (75 %) for its two-level program.

## In use

Iterations until the residual is 1e-8 of what it was, on one patch with boundary value 0 on its faces, random f and start values; one sweep before
and after each coarser level. Milliseconds are of one thread of a shared machine, to be compared with each other only.

$(rows "$data/papers/001_solvers.tsv")

As the smoother of a V-cycle with averages and trilinear interpolation, plain red-black Gauss-Seidel takes fewer and much cheaper iterations than
any block smoother here; larger blocks help block Jacobi, and make block Gauss-Seidel worse, whose errors are left where blocks meet, along the
lines of the coarser grid. Larger blocks pay where relaxation or conjugate gradients stand alone.
PAGE
