# data: papers_001_order.tsv
# SPDX-License-Identifier: MIT
# Figure 6 of Rodriguez et al. today: three steps with transfers, depth-first against breadth-first, measured and predicted.
picture = ARG1; data = ARG2; width = 1000; height = 430
load "plots/style.gp"
table = data . "papers_001_order.tsv"
set logscale x
set xtics (1, 2, 5, 10, 20, 50, 100)
set xlabel "patches" offset 0,0.4
set xrange [0.9:112]
set yrange [0.7:1.5]
set key left top reverse Left
here(side) = (column("side") == side ? column("patches") : NaN)
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb grey
set multiplot layout 1,2 margins 0.065,0.985,0.115,0.86 spacing 0.075,0 \
	title "Breadth-first over depth-first: above 1, depth-first is faster" font ",14"
do for [side = 16:64:48] {
	set title sprintf("patches of %d^3", side) offset 0,-0.6 textcolor rgb ink
	plot table using (here(side)):"measured" with linespoints pointtype 7 pointsize 0.9 linewidth 1.5 linecolor rgb ink title "one H200, measured", \
		table using (here(side)):"predicted" with linespoints pointtype 5 pointsize 0.8 linewidth 1.5 linecolor rgb blue title "predicted before", \
		table using (here(side)):"today" with linespoints pointtype 9 pointsize 0.9 linewidth 1.5 linecolor rgb green title "predicted today"
}
unset multiplot
