# data: stalls.tsv
# SPDX-License-Identifier: MIT
# What the warps of each kernel spend their time on, by the model: stacked bars.
picture = ARG1; data = ARG2; machine = ARG3; width = 900
table = ARG2 . (strlen(ARG2) ? "/" : "") . "stalls.tsv"
set datafile separator "\t"
set datafile columnheaders
stats table using "row" nooutput
height = 130 + 15 * STATS_max
load "plots/style.gp"
stats table using "row" nooutput
rows = int(STATS_max)
stats table using "reason" nooutput
reasons = int(STATS_max)
array name[reasons]
do for [r = 1:reasons] {
	found = ""
	stats table using (found = column("reason") == r ? strcol("name") : found, column("percent")) nooutput
	name[r] = found
}
unset ytics
do for [k = 1:rows] {
	found = ""
	stats table using (found = column("row") == k ? strcol("kernel") : found, column("percent")) nooutput
	set ytics add (found k) scale 0
}
colours = ink . " " . grey . " " . orange . " " . yellow . " " . sky . " " . blue . " " . purple . " " . red . " " . green . " #6A3D9A #BBBBBB"
set xrange [0:100]
set yrange [rows + 0.6:0.4]
set xlabel "share of the warps' time, %" offset 0,0.4
set xtics 20
unset grid
set grid x linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set style fill solid 0.9 border rgb "white"
set tmargin at screen 0.87; set bmargin at screen 0.07; set lmargin at screen 0.235; set rmargin at screen 0.975
set key at screen 0.975,0.945 right top horizontal reverse Left width -2 samplen 1.2 font ",10"
set label 1 "What warps wait for, by the model warps: " . machine at screen 0.5,0.965 center font ",14" textcolor rgb ink
# A row of the table begins where the ones before it on the same bar end.
begin = 0; end = 0; bar = 0
stack(row, percent) = (begin = (row == bar ? end : 0), end = begin + percent, bar = row, begin)
# Bars of one reason: all rows are walked, so that the sums are right; the others are drawn nowhere.
only(r, value) = (column("reason") == r ? value : NaN)
plot for [r = 1:reasons] table using (stack(column("row"), column("percent")), only(r, (begin + end) / 2)):"row":(begin):(end):(column("row") - 0.4):(column("row") + 0.4) \
	with boxxyerror linecolor rgb word(colours, r) title name[r]
