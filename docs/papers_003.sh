#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/papers/003.md from the tables that `warpreel papers 003 -o FOLDER` wrote. Called by make papers.
#   papers_003.sh FOLDER PLATFORM MEASURED.tsv
# shellcheck source=docs/paper_tables.sh
. "$(dirname "$0")/paper_tables.sh"
# of TABLE COLUMN AWK-CONDITION: a cell of the first row that meets it.
of() { awk -F '\t' -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } '"$3"' { print $at[want]; exit }' "$from/$1.tsv"; }
# share COLUMN: how many statements hold, of those that could be tested.
share() { awk -F '\t' -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { cell = $at[want]; n += cell != "-"; yes += cell == "yes" } END { print yes " of " n }' "$from/statements.tsv"; }
# pairs RESIDENT COLUMN: over all figures, in percent.
# agree: of the statements that could be tested both ways, how many come out co-simulated as they were measured, with 30 blocks.
agree() { awk -F '\t' 'NR > 1 && $3 != "-" && $5 != "-" { n++; same += $3 == $5 } END { print same " of " n }' "$from/statements.tsv"; }
pairs() { awk -F '\t' -v r="$1" -v c="$2" 'NR > 1 && $3 == r && $4 == "time" { p = c == "apart" ? $7 : $5; s = c == "apart" ? $8 : $6; if (p) { n += p; right += p * s / 100 } } END { printf "%.0f %% of %d", 100 * right / n, n }' "$from/pairs.tsv"; }
# width KEY: by how much an interval is wider, in per cent.
width() { awk -F '\t' -v key="$1" '$1 == key { printf "%.1f", 100 * $2 }' "$(dirname "$0")/../model/cosim/h200.tsv"; }
# tvd SPLIT COLUMN: of the distances in it.
tvd() { awk -F '\t' -v s="$1" -v c="$2" 'NR > 1 && (s == "all" || $4 == s) && $c != "-" { n++; in_ += $c <= 0.1; if ($c > most) most = $c } END { printf "%d of %d at most 0.1, the largest %.2f", in_, n, most }' "$from/ages.tsv"; }

# hits SPLIT COLUMN: of the configurations of a list, over both solvers, those that COLUMN (in per cent) says. held SPLIT COLUMN: of their runs, in per cent.
hits() { awk -F '\t' -v s="$1" -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $3 == s { n += $4; yes += $4 * $at[want] / 100 } END { if (n) printf "%d of %d", yes + 0.5, n; else print "-" }' "$from/accuracy.tsv"; }
held() { awk -F '\t' -v s="$1" -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $3 == s { n += $4; yes += $4 * $at[want] / 100 } END { if (n) printf "%.0f %%", 100 * yes / n; else print "-" }' "$from/accuracy.tsv"; }
# several SCHEME [TABLE WHERE]: a row, the fastest of its runs until converged, by the number of GPUs.
several() { awk -F '\t' -v s="$1" -v where="${3:+ ($3)}" '$1 == "poisson" && $2 ~ "size=480 " && $2 ~ " scheme=" s " " && $2 !~ / steps=/ && (!($3 in us) || $6 < us[$3]) { us[$3] = $6 } END { printf "| %s | %.2f | %.2f | %.2f |\n", s where, us[1] / 1000, us[2] / 1000, us[4] / 1000 }' "$(dirname "$0")/../traces/data/h200x4/papers_003_${2:-several}.tsv"; }

# reached SPLIT WHAT: a row of what was asked and reached.
reached() { printf '| %s | %s | %s | %s | %s |\n' "$2" "$(hits "$1" steps_within_5_pct)" "$(hits "$1" time_within_10_pct)" "$(held "$1" runs_steps_in_interval_pct)" "$(held "$1" runs_time_in_interval_pct)"; }

cat <<PAGE
# Weak execution ordering (Chen et al.)

J. Chen, Z. Huang, F. Su, J.-K. Peir, J. Ho, L. Peng, *Weak Execution Ordering - Exploiting Iterative Methods on Many-Core GPUs*. Its two
applications are \`warpreel solve poisson\` and \`warpreel solve shape\`, its eight schemes are \`--scheme\`, its breadth-first search is \`warpreel solve bfs\`.
This page is written by \`make papers\`; its tables are those of \`warpreel papers 003\`.

## What is compared

- **Measured**: one H200, medians of 20 runs or more (3D-Shape's blind ones: 10). \`30\`: 30 blocks resident, as on the paper's Tesla C1060, which
  take the next ones in the order of ids. \`all\`: all 360 blocks at once.
- **cosim**: \`warpreel predict --co-simulate\`: every block's update runs at the simulated time at which its values arrive. On the H200 with the
  costs of \`model/cosim/h200.tsv\`; on the C1060 with the cycles that the paper prints (\`model/cosim/c1060.tsv\`).
- **Blind** are configurations whose list, costs and program were committed before any of them was measured; the co-simulated rows are what the
  program of that day answered. \`blind\`: the first list. Its costs came from kernels that read clocks, at the price of registers and of some
  225 cycles an exchange; most times were predicted too long. Exchanges came at one moment, so that steps were too many where they are
  long. \`blind-2\`: numbers of steps between synchronizations and exchanges that no run before had, answered with costs that
  were fitted on the first list's runs, and with exchanges pass by pass. \`blind-3\`: new numbers again, answered twice
  before they were measured: when a store's and a load's way had been told apart, and again by a later co-simulation (\`blind-3 again\`).
  \`blind-4\`: new numbers, answered when blocks had the pace of who came first; measured on an H100, which has an H200's multiprocessors and clock.
  \`blind-5\`: drawn by seed, answered when an exchange occupied its multiprocessor; measured on an H200.

480 x 480 nodes in 15 x 24 blocks, 320 threads that compute, as in the paper. What differs: the pictures, which it does not give
(\`--objects 4\`: 16 balls cloned into waves; a vase), and the threshold, which it does not print. A run ends at the first synchronization with the host
that finds no residual above 0.005 grey levels, or 0.0003 in f and g. The greatest residual lies where blocks meet whose borders came late, so
that the schemes whose borders do take several times Base's steps, where the paper tells of little more. In a block red nodes go first, then
black ones, which the paper leaves open. Fig. 1 as printed never ends: \`Finish = false\` stands outside of the if.

## What the paper says

Measured with 30 blocks resident hold $(share holds_30), with all blocks $(share holds_all); co-simulated for the H200 with 30 blocks $(share holds_cosim), for
the C1060 $(share holds_c1060_cosim). Whether one holds on the H200 is co-simulated as it is measured for $(agree). On an H200 an exchange takes as long as six or
more steps, on the C1060 as two: that is why exchanges pay later there, why threads of their own hold the others up, and why rows alone or no borders at
all are no bad choice with few blocks resident. A ratio is of left to right; times are compared unless steps are named. Within 0.5 % it is a tie, and does not hold.

$(table statements)

## How well it is co-simulated

$(table accuracy)

All of a list together; asked were steps within 5 %, times within 10 %, and four in five runs inside of the interval:

| list | steps within 5 % | times within 10 % | steps inside | times inside |
|---|---:|---:|---:|---:|
$(reached blind "blind: the first, as answered")
$(reached blind-2 "blind-2: the second, as answered")
$(reached "blind-2 today" "the second again, looked at")
$(reached blind-3 "blind-3: the third, as answered first")
$(reached "blind-3 again" "the third, answered again before it was measured")
$(reached "blind-3 today" "the third again, looked at")
$(reached blind-4 "blind-4: the fourth, as answered, on an H100")
$(reached blind-5 "blind-5: the fifth, drawn by seed, as answered")

An interval of \`blind\` is of one to three co-simulated runs. Runs of one configuration differ so little that a small error of the middle leaves it. So an
interval of \`blind-2\` is wider by what development runs were off: 2.1 % in steps and 6.4 % in time, within which nine in ten of 21 were.
\`blind-2 today\` and \`blind-3 today\` are both lists again by the co-simulation of today (\`kernels/weak/today_003.sh\`); they have been looked at, so that this is development.
Its intervals are wider by $(width steps_error) % in steps and $(width time_error) % in time, which were set by its own runs: that they hold them is no test.
[lab/weak.md](../lab/weak.md) has each scheme with the widths of all others.

Co-simulating 1000 steps of the 360 blocks takes 0.4 s of one core with 30 resident, 0.3 with all (4W-square, n = 60, l = 4, Poisson).

Orders, over all pairs of configurations of one figure, or of the second blind list (\`apart\`: those whose measured intervals do not overlap). Of time, with 30 blocks resident, right are
$(pairs 30 all), and $(pairs 30 apart) that are apart; with all blocks $(pairs all all), and $(pairs all apart).
Steps are multiples of n: of the 34 pairs of figure 14 of Poisson that are not in order, 12 have equal measured medians and 18 more equal co-simulated ones.

$(table pairs)

How many steps the borders were behind that blocks read, as they note it themselves and as it is co-simulated; the distance is the total variation. Of those
called blind are $(tvd blind 8); of those of the second list, which was answered before it was measured, $(tvd blind-2 8); of the
third, by the co-simulation of before it was measured, $(tvd blind-3 8); of the fourth, on an H100, $(tvd blind-4 8); of the fifth $(tvd blind-5 8). Of all five, by the
co-simulation of today, one seed, which has what clocks say of multiprocessors, lines of memory, edges and places ([lab/weak.md](../lab/weak.md)) and was fitted to none of
them, $(tvd all 10), of the second list $(tvd blind-2 10).
The co-simulation that was committed before the first counted a border as new from when it was sent; the kernels note it when the whole
exchange is over, and so does the co-simulation of this table, which was changed after the ages of the first list were seen.

$(table ages)

## Cycles of a step and of an exchange

By the clocks of blocks, with 30 resident. The paper, of 3D-Shape: 5500 cycles a step; an exchange of UD 6000 to 7000, of 4W 10000 to 12000.

| solver | scheme | threads | l | step | exchange | a step with all of it |
|---|---|---:|---:|---:|---:|---:|
$(awk -F '\t' 'NR > 1 && $5 == 30 && $2 != "base" && $2 != "coarse" && ($4 == 32 || $4 == 128) { printf "| %s | %s | %d | %d | %.0f | %.0f | %.0f |\n", $1, $2, $4, $3, $8, $11, $16 }' "$(dirname "$0")/../traces/data/h200x4/papers_003_watch.tsv")

## Figures 7 to 10: by the interval n of host synchronization

Poisson:

$(table figure7)

3D-Shape:

$(table figure9)

## Figures 11 to 13: by the interval l of exchange

3D-Shape, at n = 60:

$(table figure11)

Poisson:

$(table figure11p)

## Figure 14: by the number of communication threads

3D-Shape, at n = 60:

$(table figure14)

Poisson:

$(table figure14p)

## What the paper could not have

All blocks of one H200, until the same residual. \`free\` meets to check alone. \`graph\`, \`barrier\` and \`flags\` make Base's steps, to the same bits: a CUDA graph of n launches, a barrier of the whole
grid in one launch, flags between neighbours in one launch. \`cluster\`: blocks of a thread-block cluster of six step together through
distributed shared memory, and 4W between clusters. \`faster_than_base\`: times Base's speed, which the paper puts at 4 to 5 for 4W.

$(table whole)

## Figure 2: breadth-first search

3072 vertices, one block of 512 threads; between levels two launches and a check by the host, or two barriers of the block.

$(table figure2)

![Steps and time by the interval of host synchronization](../figures/papers_003.svg)

## Who is how many steps ahead

Co-simulated: the first round of 60 steps of 4W-square, 30 blocks at a time on 6 x 5 of 15 x 24 (\`--pace\`, \`plots/pace.sh\`). Blocks that wait read what those
before them left after all of their steps; blocks that run read what is a few steps old.

![Squares of blocks, one after the other](../figures/pace_square.gif)

## Chaotic block relaxation

The second family that is co-simulated: \`patches\`, chaotic block Gauss-Seidel, three steps of gemv-c on blocks of 8 x 8 x 8 cells. Answered before it was
measured (three times ten runs; of ratios that differ, about the middle): one patch of 32^3 0.02642, measured 0.02642; of 64^3 0.02764 and 0.02695; four 0.02817 and
0.02765; ten 0.02804 and 0.02774; times within 4 % but for 32^3 (74 for 75 to 79 us). In a drawn order, as the CPU plays it, it is 0.0124: the blocks of a wave
do not see each other.

## What binds

Of Poisson shared memory binds: with all blocks a step of Coarse takes 459 cycles, of which the shared memory of a multiprocessor with three blocks moves words
for 366, 0.80 of that floor; a step of \`free\` without exchanges 319 and 247, 0.78 (counters, visit CB2). On an H100 (visit CC) \`tests/gpu_shared_floor\` takes 0.123 us for a
step's words alone, and \`async\` 0.156 for a step without exchanges: 0.79. The fastest run to the end there, \`async\` with n = 240 and l = 2, takes 1.42 ms, 0.244 us a step: 0.50 (\`free\` 1.85 ms, 0.45);
with l = 6 it is 0.66. The rest are exchanges, of 0.34 us each: nobody waits for a word from L2; borders behind a branch of warps made it longer, not shorter ([lab/weak.md](../lab/weak.md)). On an H200 (visit DA) it is 1.405 ms, 0.55, with l = 3 0.64. No launches: there is one, of 9 us. Threads of
their own that exchange, scheme \`apart\` (visit FA), take 0.984 ms, 5544 steps: 0.70 of the floor of two nodes a thread, 0.55 of that of the four it has; with l = 4 it is 0.77. Of the paper's
schemes the fastest takes 0.69 us a step, of which 22 of 47 us a round go through the host. Of 3D-Shape instructions bind:
1863 cycles a step of Coarse, 1383 with an instruction issued by each scheduler, 726 of shared memory.
Clusters take 1.2 us a step: a barrier of the cluster and a way into another's shared memory each.

## What is missing

0.8 of a floor to the end: steps alone have it. Steps within 5 %, and ages within 0.1, for all blind runs. \`free\` is co-simulated, and \`async\` too, but takes 15 to 35 % fewer steps there than measured. The first lists' co-simulated rows are of the program of then.

## Several GPUs

Each has its rows of blocks and stores borders into the memory of the GPU that reads them; \`barrier\`, \`flags\`, \`free\`, \`async\` and \`apart\` are one launch on each. Poisson until 0.005 on one, two and four H200 (visit DA,
\`papers_003_several.tsv\`, but where it is said), ms:

| scheme | 1 | 2 | 4 |
|---|---:|---:|---:|
$(several base)
$(several barrier)
$(several flags)
$(several free)
$(several async)
$(several async apart 'visit FA')
$(several apart apart 'visit FA')

Base, \`barrier\` and \`flags\` have the same bits on all. Who waits at each step pays the way to another GPU; who does not gains, by shorter steps and by fewer ([lab/weak.md](../lab/weak.md)).
PAGE
