# data: papers_000.tsv
# SPDX-License-Identifier: MIT
# Figures 2 to 4 of Di et al. again, from the code's own decomposition: which kernel updates each point of each layer of a forward sweep.
picture = ARG1; data = ARG2; width = 1160; height = 380
load "plots/style.gp"
table = data . "papers_000.tsv"
array name[4] = ["K11", "K12", "K21", "K22"]
array colour[4] = [blue, orange, green, red]
set xrange [0.3:24.7]
set yrange [0.3:24.7]
set size ratio 1
set xtics 8
set ytics 8
set multiplot layout 1,4 margins 0.03,0.93,0.10,0.82 spacing 0.02,0 \
	title "Tiles of a forward sweep of 4 layers over 3x3 subdomains of 8x8 points: the kernel of each point" font ",14"
do for [layer = 0:3] {
	set title sprintf("layer %d", layer + 1) offset 0,-0.6 textcolor rgb ink
	if (layer > 0) { set format y "" }
	if (layer < 3) { unset key } else { set key at screen 0.995,0.8 right top reverse Left font ",10" }
	plot for [k = 1:4] table using (column("layer") == layer && column("kernel") == k ? column("column") : NaN):"row" with points \
		pointtype 5 pointsize 0.85 linecolor rgb colour[k] title name[k]
}
unset multiplot
