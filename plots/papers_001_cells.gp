# data: papers_001_cells.tsv
# SPDX-License-Identifier: MIT
# Figure 9 of Rodriguez et al. today: cells a second against the size of a block, and against the number of patches.
picture = ARG1; data = ARG2; width = 1000; height = 430
load "plots/style.gp"
table = data . "papers_001_cells.tsv"
set logscale xy
set format y "%g"
set yrange [0.04:300]
set ytics (0.1, 1, 10, 100)
set multiplot layout 1,2 margins 0.065,0.985,0.115,0.86 spacing 0.075,0 \
	title "10^9 cells a second of a step, one H200" font ",14"
at(what, kernel, x) = (strcol("what") eq what && strcol("kernel") eq kernel ? column(x) : NaN)
set key left bottom reverse Left font ",10"
set xlabel "cells of a block" offset 0,0.4
set xrange [6:700]
set xtics (8, 16, 32, 64, 128, 256, 512)
set title "64 or 96 patches of 64^3" offset 0,-0.6 textcolor rgb ink
plot table using (at("block", "sine", "block")):"rate" with points pointtype 7 pointsize 1 linecolor rgb orange title "sine transforms", \
	table using (at("block", "gemm", "block")):"rate" with points pointtype 9 pointsize 1.1 linecolor rgb green title "cuBLAS", \
	table using (at("block", "gemv-c", "block")):"rate" with linespoints pointtype 5 pointsize 0.9 linewidth 1.5 linecolor rgb blue title "Algorithm 2, mapping C, chaotic"
set key right bottom noreverse Right font ",10"
set xlabel "patches" offset 0,0.4
set xrange [0.9:112]
set xtics (1, 2, 5, 10, 20, 50, 100)
set title "blocks of 8^3" offset 0,-0.6 textcolor rgb ink
of(kernel, side) = (strcol("what") eq "patches" && strcol("kernel") eq kernel && column("side") == side ? column("patches") : NaN)
plot table using (of("sine", 16)):"rate" with linespoints pointtype 7 pointsize 0.9 linewidth 1.5 linecolor rgb orange title "sine transforms, 16^3", \
	table using (of("gemv-c", 64)):"rate" with linespoints pointtype 5 pointsize 0.9 linewidth 1.5 linecolor rgb blue title "mapping C, chaotic, 64^3", \
	table using (of("gemv-c", 16)):"rate" with linespoints pointtype 4 pointsize 0.9 linewidth 1.5 linecolor rgb sky title "mapping C, chaotic, 16^3"
unset multiplot
