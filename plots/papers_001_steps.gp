# data: papers_001_steps.tsv
# SPDX-License-Identifier: MIT
# Figure 4 of Rodriguez et al. again: the residual against steps, and the factor of a step.
picture = ARG1; data = ARG2; width = 1000; height = 430
load "plots/style.gp"
table = data . "papers_001_steps.tsv"
set xlabel "steps" offset 0,0.4
set logscale y
set format y "%g"
set key right top Right font ",10"
array method[5] = ["jacobi", "jacobi", "chaotic", "lexicographic", "lexicographic"]
array side[5] = [4, 8, 8, 4, 8]
array name[5] = ["Jacobi, 4^3", "Jacobi, 8^3", "chaotic, 8^3", "in order, 4^3", "in order, 8^3"]
array colour[5] = [blue, sky, orange, red, purple]
here(k) = (strcol("method") eq method[k] && column("block") == side[k] ? column("steps") : NaN)
set multiplot layout 1,2 margins 0.065,0.985,0.115,0.86 spacing 0.085,0 \
	title "Block relaxation of a patch of 64^3: residual over its first value" font ",14"
set xrange [0:5]
set xtics 1
set title "the first steps, which smooth" offset 0,-0.6 textcolor rgb ink
plot for [k = 1:5] table using (here(k)):"ratio" with linespoints pointtype marks[k] pointsize 0.8 linewidth 1.5 linecolor rgb colour[k] title name[k]
set xrange [1:80]
set logscale x
set xtics (1, 2, 5, 10, 20, 40, 80)
set title "and many" offset 0,-0.6 textcolor rgb ink
unset key
plot for [k = 1:5] table using (here(k)):"ratio" with linespoints pointtype marks[k] pointsize 0.8 linewidth 1.5 linecolor rgb colour[k] title name[k]
unset multiplot
