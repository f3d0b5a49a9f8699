# data: ablation.tsv
# SPDX-License-Identifier: MIT
# What each mechanism of the model `warps` is worth: the mean error on development rows of the kernels set with it switched off.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 480
load "plots/style.gp"
table = data . "ablation.tsv"
stats table using (column("row") == 0 ? column("mape") : NaN) nooutput
full = STATS_max
stats table using "n" nooutput
n = int(STATS_max)
stats table using "mape" nooutput
most = STATS_max
stats table using "row" nooutput
rows = int(STATS_max)
set xrange [0:most * 1.12]
set yrange [rows + 0.6:-0.6]
set xlabel "mean absolute error, %" offset 0,0.4
unset grid
set grid x linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set style fill solid 0.9 noborder
set ytics scale 0
set lmargin at screen 0.40
set bmargin at screen 0.11
set label 1 sprintf("Kernels, one part of the device made ideal at a time: %s, %d development rows", machine, n) at screen 0.5,0.955 center font ",13" textcolor rgb ink
set tmargin at screen 0.91
set arrow 1 from full,-0.6 to full,rows + 0.6 nohead linewidth 0.8 linecolor rgb ink front
unset key
label(row) = (row == 0 ? strcol("summary") : strcol("part") . ": " . strcol("summary"))
plot table using (column("mape") / 2):"row":(0):"mape":(column("row") - 0.38):(column("row") + 0.38):ytic(label(column("row"))) with boxxyerror \
		linecolor rgb sky, \
	table using (column("row") == 0 ? column("mape") / 2 : NaN):"row":(0):"mape":(column("row") - 0.38):(column("row") + 0.38) with boxxyerror linecolor rgb blue, \
	table using "mape":"row":(sprintf(" %.1f", column("mape"))) with labels left font ",10" textcolor rgb ink
