#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/papers/001.md from the tables that `warpreel papers 001 -o FOLDER` wrote, and from what was measured and computed for it. Called by
# make papers.
#   papers_001.sh FOLDER PLATFORM MEASURED.tsv
# shellcheck source=docs/paper_tables.sh
. "$(dirname "$0")/paper_tables.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
data=$root/traces/data today=$root/traces/data/h200x4 before=$root/traces/data/h100x1

# What configurations say, as columns behind those of the table: of kernels, whose columns kernel and block are not the options, and of runs.
kernels() {
	sed '1s/	kernel	/	symbol	/; 1s/	block	/	threads	/' "$today/papers_001_kernels.tsv" | "$WARPREEL" columns --of patches,block,method,kernel,products,count,side -
}
runs() { "$WARPREEL" columns --of patches,order,transfer "$1"; }
# of AWK [FILE...]: a program that finds the fields of a table's first line in at[].
of() {
	of_program=$1
	shift
	awk -F '\t' 'FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next } '"$of_program" "$@"
}

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

A mean of six draws is itself off by about 0.2 %: 40 draws of Gauss-Seidel in order, by a program that shares no code with this one, differ by

$(rows "$data/papers/001_draws.tsv")

\`one_draw\` is what the figure was first computed with, \`of_sd\` how many standard deviations that draw lies off.

![Residual against steps](../figures/papers_001_steps.svg)

What is left after a few steps is smooth, and creases along the faces of blocks:

![The error in a slice](../figures/papers_001_slice.svg)

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

\`measured\` is one H200 (visit P4), the same runs by mapping (C). The paper's GPU and its program are left 50 times behind; what bounds the runs is no
longer the products but the transfers.

Not simulated: the CPU; the C2050, whose bars have no labels that are certain; products by sine transforms, whose profile is of an H200's machine code, and by cuBLAS, which has none.

## Measured today: one H200 (visits P3, P4)

Kernels alone, a step; copy16 moved $(kernels | of '$at["kernel"] == "copy16" { printf "%.2f", 2 * 16 * 67108864 / $at["median_ns"] / 1000 }') TB/s on the same visit. Medians of 10. A row of several launches has the sum of them.

| patches | block | method | kernel | launches | us | 10^9 cells/s |
|---|---|---|---|---:|---:|---:|
$(kernels | of '$at["solver"] == "patches" { us = $at["launches"] * $at["median_ns"] / 1000; cells = $at["count"] * $at["side"] ^ 3
	printf "| %s | %s | %s | %s%s | %d | %.1f | %s |\n", $at["patches"], $at["block"], $at["method"], $at["kernel"], $at["products"] == "-" ? "" : ", " $at["products"] " products",
		$at["launches"], us, cells ? sprintf("%.2f", cells / us / 1000) : "-" }')

![Cells a second against block size and number of patches](../figures/papers_001_cells.svg)

- The sine transform takes $(kernels | of '$at["patches"] == "96x64" && $at["method"] == "jacobi" && $at["kernel"] == "sine" { printf "%.1f", $at["median_ns"] / 1000 }') us for 96 patches of 64^3: 1.46 times what moving 24 bytes a cell takes at the copy's rate. In 1.15 times it would be done in 162.
- The whole step by cuBLAS reaches 0.60 of what cuBLAS alone does with 49152 columns ($(awk -F '\t' '$2 == 49152 { printf "%.1f", $4 / 1e12 }' "$today/papers_001_product.tsv") TFLOP/s): residuals and updates take 350 us of 861, where 24 bytes
  a cell each would take 282. Parts that stay in L2 were slower, since a product of few columns is.
  That was one product with the whole inverse. The inverse keeps sums and differences of mirrored cells apart, so that today's step has four products of a
  quarter of the side, and forms sums and differences by the way: on one H200 (visit DA) 524 to 533 us for 872, **0.88 to 0.90** of what the whole product alone takes in
  the same run (471 us); in a form for sides of 8 alone 477 us (0.99). The rows above are of the step as it was.
- On that H100 the sine transform takes 243 us for 96 patches of 64^3, 1.22 times the floor; seven other forms of it were slower or no faster ([lab/kernels.md](../lab/kernels.md)).
- One patch of 16^3 takes 4.6 us in a graph, where a node that does nothing takes 0.55 and a launch into a stream 3.3: a warp's chain of loads,
  transforms and stores is longer than either. Sets of 1 to 10 stay within 1.5 times a launch into a stream; 100 take 1.9 times.
- \`--kernel sine-steps\` makes all steps of small patches in one launch, a thread block for each patch. It gives the CPU's values on an emulated GPU (18 awkward sets) and is not timed yet.
- Of the paper's mappings (C) is the fastest, (B) 2 % and (A) 12 % slower. Chaotic Gauss-Seidel is fastest, by cells, with blocks of (4,4,2).

The profile of the sine transforms has their instructions as counted on visit CB1, without hardware counters; [lab/kernels.md](../lab/kernels.md) has how far off its answers
are, what bounds them, and what is faster.

### Figure 6: depth-first and breadth-first

Three steps, every patch sent there and back in each. Predicted is by the model \`warps\` from profiles of the kernel; it was written down, and named in
a commit, before any of these were measured.

| set | depth us | predicted | error % | breadth us | predicted | error % |
|---|---:|---:|---:|---:|---:|---:|
$(runs "$today/papers_001.tsv" | of 'file == 1 && $1 == "h200x4" { answer[$3] = $4 } file == 2 && $at["transfer"] == "each" && ($at["config"] in answer) {
	set = $at["patches"]; order = $at["order"] == "depth" ? "d" : "b"; took = $at["core_us"]; says = answer[$at["config"]]
	if (!((set) in seen)) { seen[set] = 1; name[++n] = set }
	us[set, order] = took; said[set, order] = says; off = 100 * (says / took - 1); sum += off < 0 ? -off : off; many++ }
	END { for (k = 1; k <= n; k++) { line = "| " name[k]; for (o = 1; o <= 2; o++) { w = substr("db", o, 1)
		line = line sprintf(" | %.0f | %.0f | %+.1f", us[name[k], w], said[name[k], w], 100 * (said[name[k], w] / us[name[k], w] - 1)) } print line " |" }
	printf "| mean | | | %.1f | | | |\n", sum / many }' "$today/papers_001_predicted.tsv" -)

(The mean is of absolute errors of all rows.)

![Depth-first over breadth-first](../figures/papers_001_order.svg)

As in the figure, breadth-first wins with patches of 16^3 (by 17 to 20 % at 10 and 50) and depth-first with patches of 64^3, here from between 10 and 20 patches
on. The prediction has the second, though from 5 patches on, and misses the first; and it takes breadth-first with many patches for much slower than it is, by 36 % at
100 patches of 64^3. There the simulated copy engine served all streams
alike, so that all had their kernels at the same time and nothing was transferred beside them. A recording (visit CA1) shows that streams four apart share a channel of the engine,
which makes what stands in one before it turns to the next. With that, copies in line and what a thread's first calls take, the answers of today (green) have both: breadth-first
with 16^3, depth-first with 64^3 from 5 patches on, where the two are measured to be within 0.3 % of each other up to 10 ([lab/host.md](../lab/host.md); these runs are
development rows of [the validation](../validation.md) by now). The table is of what was answered then. One patch is the same program in either order: that such runs take 882 and 654 us says how far they vary. On an H100 (visit P1) 100 patches of 16^3 took $(runs "$before/papers_001.tsv" | of '$at["patches"] == "100x16" && $at["order"] == "depth" { printf "%.0f", $at["core_us"] }') us depth-first and $(runs "$before/papers_001.tsv" | of '$at["patches"] == "100x16" && $at["order"] == "breadth" { printf "%.0f", $at["core_us"] }') breadth-first.

### Two, four and eight GPUs

What-ifs: answers for \`h200x8\`, blocks of 8^3, patches dealt to the GPUs by their cells. \`whole\`: patches stay on their GPU, 20 steps with ghosts of
mirrored values; \`depth\`: three steps, every patch sent there and back in each. None of these was measured on more than one GPU.

$(table gpus)

Patches do not wait for each other, so that four GPUs are 3.5 to 4 times as fast where kernels are long, and no faster at all
where a step is as long as its launches. Patches that are sent each step share what the host gives: of two GPUs each has its own way to it, and
four or eight contend.

### Figure 5: threads of the CPU

A step of 16 patches of 64^3, two-level program (4 outer threads), on the 16 cores of an Intel Xeon (L2 2 MiB a core, L3 300 MiB) beside that GPU, a
virtual machine with a thread a core. Median of 5:

| method | block | threads | us | speed-up | efficiency % |
|---|---|---:|---:|---:|---:|
$(awk -F '\t' '/^#/ || /^threads/ || $2 != "cpu-nested" || $5 != 4 { next } { t[$3 " | " $4, $1] = $6; if (!(($3 " | " $4) in seen)) { seen[$3 " | " $4] = 1; name[++n] = $3 " | " $4 } }
	END { for (k = 1; k <= n; k++) for (threads = 1; threads <= 16; threads *= 2) if ((name[k], threads) in t) {
		up = t[name[k], 1] / t[name[k], threads]; printf "| %s | %d | %.0f | %.1f | %.0f |\n", name[k], threads, t[name[k], threads], up, 100 * up / threads } }' "$today/papers_001_cpu.tsv")

The paper has 18 on 24 cores (75 %) for its two-level program with blocks of 8^3. Chaotic Gauss-Seidel on one thread varies between 417 and 612 ms, so that its
efficiency may be anything from 53 to 77 %. 16 threads by block take $(awk -F '\t' '$2 == "cpu-block" { printf "%.0f", $6 / 1000 }' "$today/papers_001_cpu.tsv") ms, by patch $(awk -F '\t' '$2 == "cpu-patch" { printf "%.0f", $6 / 1000 }' "$today/papers_001_cpu.tsv").

### Figure 10: inverses, and ghost cells

Section 4.3: the inverse of a block by LAPACK, one, and as many as there can be shapes of cut blocks, on one core of an AMD EPYC of a shared machine. The paper has 60 ms for one of 8^3. By sines, as \`--inverse sine\`
has it, no matrix is inverted, and the kernels by sine transforms need none.

$(rows "$data/papers/001_inverses.tsv")

Ghost cells of all six faces take 2.6 % (block Jacobi) and 3.5 % (chaotic) of a step with blocks of 4^3 there, 0.6 and 0.7 % with 8^3 (samples of one thread of \`cpu-patch\`, 4 patches of 64^3); the paper has about 5 %.
On a GPU, where it has less than 10 %, they are not measured yet; nor are figure 7 with blocks of 4^3, figure 5 with 96 patches, and the curves of the CPU in figures 6 and 9.

## In use

Iterations until the residual is 1e-8 of what it was, on one patch with boundary value 0 on its faces, random f and start values; one sweep before
and after each coarser level. Milliseconds are of one thread of a shared machine, to be compared with each other only.

$(rows "$data/papers/001_solvers.tsv")

As the smoother of a V-cycle with averages and trilinear interpolation, plain red-black Gauss-Seidel takes fewer and much cheaper iterations than
any block smoother here; larger blocks help block Jacobi, and make block Gauss-Seidel worse, whose errors are left where blocks meet, along the
lines of the coarser grid. Larger blocks pay where relaxation or conjugate gradients stand alone.
PAGE
