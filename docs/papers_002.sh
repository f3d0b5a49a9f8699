#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes docs/papers/002.md from the tables that `warpreel papers 002 -o FOLDER` wrote: every number of it that is not the paper's own comes
# from there. Called by make papers.
#   WARPREEL=PROGRAM papers_002.sh FOLDER PLATFORM MEASURED.tsv
. "$(dirname "$0")/paper_tables.sh"
warpreel=${WARPREEL:?}
measured=$(mktemp)
trap 'rm "$measured"' EXIT
awk -F '\t' '/^#/ || !NF { next } !n { for (i = 1; i <= NF; i++) if ($i ~ /^(solver|config|gpus|sm_mhz)$/) keep[++n] = i }
	{ for (k = 1; k <= n; k++) printf "%s%s", $keep[k], k < n ? "\t" : "\n" }' "$3" |
	"$warpreel" columns --of size,problem,re,omega,kernel,check,iterations - >"$measured"

# errors DEVICE TABLES: its row of the summary, as words.
errors() {
	echo "$(pick summary n device="$1" table="$2") times, median $(pick summary median_pct device="$1" table="$2") %, 90th percentile" \
		"$(pick summary p90_pct device="$1" table="$2") %, largest $(pick summary max_pct device="$1" table="$2") %"
}

# order WHAT COLUMN: the sizes at which the kernels of today rank as predicted, and how they do elsewhere.
order() {
	awk -F '\t' -v what="$1" -v column="$2" -v today="$today" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["device"] != today || $at["what"] != what { next }
		$at[column] == "3 < 2 < 1" { yes = yes (yes ? ", " : "") $at["size"]; next }
		{ no = no (no ? ", " : "") $at["size"] " (" $at[column] ")" }
		END { printf "%s%s", (yes ? "at " yes : "nowhere"), (no ? "; not at " no : "") }' "$from/ranking.tsv"
}

# bound DEVICE SIZE KERNEL: time of a sweep, and the two parts whose lifting buys most.
bound() {
	awk -F '\t' -v device="$1" -v size="$2" -v kernel="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		$1 != device || $2 != size || $3 != kernel { next }
		{ for (i = 7; i <= NF; i++) gain[name[i]] = -$i
			if (gain["fp64"] > gain["arithmetic"] - 5) delete gain["arithmetic"] # the same, said once
			text = sprintf("%s us; warps wait for %s", $4, $6)
			for (n = 1; n <= 2; n++) {
				best = ""
				for (k in gain) if (best == "" || gain[k] > gain[best] || (gain[k] == gain[best] && k < best)) best = k
				if (gain[best] < 3) break
				text = text (n == 1 ? "; without `" best "` " gain[best] " % less" : ", without `" best "` " gain[best] " %")
				delete gain[best]
			}
			if (n == 1) text = text "; no part alone buys 3 %"
			print text "." }' "$from/bounds.tsv"
}

# between KERNEL: an iteration of a whole run at 4002, two sweeps alone, and the clock after the one.
between() {
	awk -F '\t' -v kernel="$1" -v today="$today" '
		function says(f) { return $at[f, "size"] " " $at[f, "problem"] " " $at[f, "re"] " " $at[f, "omega"] " " $at[f, "kernel"] " " $at[f, "check"] " " }
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
		file == 1 && $at[1, "device"] == today && $at[1, "kernel"] == kernel && $at[1, "size"] == 4002 {
			iteration = 1e9 * $at[1, "computation_s_measured"] / $at[1, "iterations_measured"] / 1e3 }
		file == 2 && $at[2, "kernel"] == kernel && $at[2, "size"] == 4002 { sweeps = 2 * $at[2, "with_us_measured"] }
		file == 3 && says(3) == "4002 2 10 as-run " kernel " every " && $at[3, "iterations"] ~ /^[-0]$/ { mhz = $at[3, "sm_mhz"] }
		END { printf "| #%s | %.1f | %.1f | %.1f | %d |\n", kernel, iteration, sweeps, iteration - sweeps, mhz }' "$from/table4.tsv" "$from/norm.tsv" "$measured"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", a / b }'; }

# more COLUMN CONDITION: how many rows of the counts fulfil an awk condition on the count of that column, c, and the published one, p.
more() {
	awk -F '\t' -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ c = $at[column]; p = $at["published"] + 0; never = c ~ /^>/; known = c != "-"; c += 0 }
		'"$2"' { n++ } END { print n + 0 }' "$from/counts.tsv"
}

agree=$(awk -F '\t' 'NR > 1 { n++; yes += $NF == "yes" } END { print yes + 0 " of " n }' "$from/counts.tsv")
cpu=$(pick table4 computation_s_published device=opteron6180se size=4002)
then_s=$(pick table4 computation_s_published device=gtx480 size=4002)
now_s=$(pick table4 computation_s_measured device="$today" kernel=2 size=4002)
best_s=$(awk -F '\t' -v today="$today" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["device"] == today && $at["kernel"] == "tuned4, check=device" && $at["size"] == 4002 { print $at["computation_s_measured"] }' "$from/table4.tsv")

fewer=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["published_is"] == "as-run" && $at["eq9"] != "-" { saved = 100 * (1 - $at["eq9"] / $at["as-run"])
		text = text (text ? ", " : "") $at["eq9"] " at " $at["size"]; least = least == "" || saved < least ? saved : least; most = saved > most ? saved : most }
	END { printf "%s:\n%.1f to %.1f %% fewer iterations", text, least, most }' "$from/counts.tsv")

cat <<PAGE
# Cotronis et al.: local modified SOR

Y. Cotronis, E. Konstantinidis, M. A. Louka, N. M. Missirlis, *Parallel SOR for Solving the Convection Diffusion Equation Using GPUs with CUDA*:
their tables again. Generated by \`make papers\` (\`warpreel papers 002\`) from shipped data; never edited.

- *published*: as printed, [002_published.tsv](../../traces/data/papers/002_published.tsv). Devices \`gtx480\`, \`c2050\`, \`opteron6180se\`.
- *measured*: our own kernels #1 to #3, written from the paper's description, and a tuned one, on an H200; \`host\` is the CPU beside it, with the
  paper's sequential program (\`rows\`) and one of today on all cores (\`openmp\`). Medians of ten runs until convergence, of five on the host, there
  of part of the iterations.
- *simulated*: the planned run, kernel times by the model \`warps\`. For \`$today\` that is what \`predict\` answers. For \`gtx480\` and \`c2050\` the device
  files give all costs, and nothing in them is from this paper; the kernels are our H200 build's, walked by classes of instructions. No
  number here was fitted to any row of these tables.
- *error*: simulated over published, or over measured for \`$today\`, minus one; of the time of an iteration or a sweep.

## In short

- Iteration counts: $agree come out on the GPU as published, with the factors that the paper's program must have used
  ([below](#iteration-counts)).
- Errors of simulated times. GTX 480, tables 1, 2, 4: $(errors gtx480 1+2+4); table 3, one kernel at one size nine times:
  median $(pick summary median_pct device=gtx480 table=3) %. C2050: $(errors c2050 all).
  H200 against what was measured: $(errors "$today" all).
- The largest grid took $cpu s on the Opteron and $then_s s on the GTX 480. Kernel #2 takes $now_s s on an H200, $(ratio "$then_s" "$now_s") times
  less than on the GTX 480; the tuned kernel, with max|u| looked at on the GPU, $best_s s, $(ratio "$then_s" "$best_s") times less.
- The ranking of the kernels turned round for sweeps alone of grids that L2 does not hold; whole runs with a check of max|u| in every iteration
  are another matter ([below](#what-changed-in-14-years)).

## Table 1

Kernels compared at two sizes, Re 10. Table 1 does not say Re; with 10 its counts come out. Profiles of kernels were counted on problem 2, so simulated
times do not know that kernel #3 works longer on the cubes of problem 1.

$(table table1)

## Table 2

One sweep over the red points at 4002, the norm with it. Published bytes are what the paper extrapolates from two counters; measured ones are DRAM's
own, of the launch that was profiled. Registers of \`gtx480\`, simulated, are those of the H200 build; occupancies follow from them by the device
file. Measured times are from one launch to the next, and so is the simulated one beside them.

$(table table2)

## Table 3

Three Re at 1002. The speed-up is over the Opteron, or over one thread of the host of today.

$(table table3)

## Table 4

Problem 2, Re 10. Execution adds transfers and the change of layout.

$(table table4)

## Figure 1

![Updates a second, and speed-up over a CPU thread](../figures/papers_002.svg)

## Iteration counts

Counted on the GPU until max|u| is at most 1e-6. \`eq9\`: relaxation factors by (9) to (13) as printed. \`as-run\`: the squares under the root of (9) left
out. \`corrected\`: the product of the two mu in (13) with the sign it must have. \`lsor\`: the smaller mu taken as 0, one factor for both
colours. Where all eigenvalues are real (problem 2, Re 10), (13) does not come in.

$(table counts)

In the real case the published counts come out only as-run: the program behind the paper left the squares of (9) out. As printed, (9) needs
$fewer, each as long.

In the imaginary case the printed sign is an error of derivation, but the better one. Put right, which exchanges the factors of red and black
points, it never takes fewer iterations (of $(more corrected known) cases, $(more corrected "known && !never && c > p") take more and $(more corrected never) do not converge
in 20000).

## Errors in the paper

- (9) and the program that was run differ, see above.
- The text has sqrt(N) unknowns a side and h = 1 / (sqrt(N) + 1). The counts come out only if sqrt(N) includes the boundary: sqrt(N) - 2 unknowns and
  h = 1 / (sqrt(N) - 1). Table 4's rates are of (sqrt(N) - 2)^2 points as well; the numbers of eigenvalues, (R,I), are of sqrt(N)^2.
- (13): where the eigenvalues are imaginary, the product of two of them is real and negative, so its sign in the denominators turns over; the paper
  prints that of (9).
- Table 4 has a speed-up of 84.55 for the C2050 at 3002. 1402.17 s over 20.05 s are $(awk 'BEGIN { printf "%.2f", 1402.17 / 20.05 }'), and the
  rate beside it agrees with that. Figure 1 shows the outlier.
- "Near 150 milliseconds per iteration" for 31.16 s and 5406 iterations: they are 5.76.
- "2250 elements/sec" and "2800 elements": millions.
- The speed-up is said to be over 50 throughout; table 3 has 49.39.
- Re is said to be 10^m with m from 0 to 4; table 3 goes to 10^5. Tables 1 and 2 do not say which Re, table 2 not which problem.
- The local method with two factors is said to converge better than with one, LSOR, which it builds on. It holds for
  $(more lsor "known && (never || c > p)") of the $(more lsor known) imaginary cases, by far for the largest Re, where LSOR fails to converge in 20000 iterations
  $(more lsor never) times; in $(more lsor "known && !never && c < p") LSOR takes fewer, $(pick counts lsor problem=3 size=402) instead of $(pick counts eq9 problem=3 size=402) for problem 3 at 402.

## What changed in 14 years

A GTX 480 has 168 GFLOP/s in fp64 and 177 GB/s, one operation a byte; an H200 34 TFLOP/s and 4.8 TB/s, seven. An update by kernels #1, #2, #3 moves
64, 48 and 24 bytes for some 11, 15 and 45 operations and more. So the ranking should turn round, from #2 < #1 < #3 in time on the GTX 480 to
#3 < #2 < #1 on an H200. Did it?

| | measured | simulated |
|---|---|---|
$(for what in "sweep without the norm" "sweep alone" "iterations"; do
	echo "| $what | $(order "$what" published_or_measured) | $(order "$what" simulated) |"
done)

Every order, from the fastest kernel on:

$(table ranking)

At small sizes L2 holds everything, bytes cost little, and #3 has most to compute. Looking at max|u| in every sweep, as the paper does, costs #3
most at sizes where the others wait for DRAM anyway:

$(table norm)

At 3002 and 4002 #3 is first alone, but not in whole runs. At 4002, measured, in us:

| kernel | an iteration of a whole run | two sweeps alone | the rest: copy of the norm, check, launches | clock after the run, MHz |
|---|---:|---:|---:|---:|
$(for kernel in 1 2 3; do between $kernel; done)

Alone all ran at 1980 MHz. In whole runs the GPU lowers its clock, most for #3, which of the three has most to compute; the model keeps clocks
constant.

What the model says bounds each kernel, the norm with it: what its warps wait for, and which parts of the device, made ideal, would shorten it most.

$(for device in gtx480 "$today"; do
	for size in 2002 4002; do
		echo "- \`$device\`, $size"
		for kernel in 1 2 3; do
			echo "  - #$kernel: $(bound "$device" $size $kernel)"
		done
	done
done)

All parts, as per cent of the sweep's time:

$(table bounds)

## Errors of simulated times

$(table summary)

Every one of them:

$(table errors)
PAGE
