# data: speedup.tsv
# SPDX-License-Identifier: MIT
# How much faster G GPUs are than one, a curve a grid size, a panel a transport.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 430
load "plots/style.gp"
speedup = data . "speedup.tsv"
stats speedup using "gpus" nooutput
most = STATS_max
set xrange [0.8:most * 1.04]; set xtics (1, 2, 4, 8)
set yrange [0:most * 1.04]; set ytics 1
set xlabel "GPUs" offset 0,0.4
array transport[2] = ["peer", "host"]
array name[2] = ["transport peer: GPU to GPU", "transport host: staged through host memory"]
array n[6] = [1024, 2048, 4096, 8192, 16384, 32768]
here(side, k) = (column("n") == n[k] && strcol("transport") eq transport[side] && strcol("precision") eq "f32" && \
	strcol("kernel") eq "tuned" ? column("gpus") : NaN)
shown(x) = (column("gpus") > 1 && strcol("precision") eq "f32" && strcol("kernel") eq "tuned" && \
	(sum [k = 1:6] column("n") == n[k]) > 0 ? column("measured") : NaN)
stats speedup using (shown(0)) nooutput
set multiplot layout 1,2 margins 0.055,0.985,0.115,0.86 spacing 0.05,0 \
	title sprintf("Speed-up over one %s, fp32: %d measured (marks), predicted (lines)", machine, STATS_records) font ",14"
do for [side = 1:2] {
	set title name[side] offset 0,-0.6 textcolor rgb ink
	set ylabel (side == 1 ? "time on one GPU / time on G GPUs" : "") offset 1,0
	if (side == 1) { set key top left reverse Left } else { unset key }
	plot x title "ideal" with lines linecolor rgb grey dashtype 2, \
		for [k = 6:1:-1] speedup using (here(side, k)):"predicted" with lines linewidth 1.5 linecolor rgb series[k] notitle, \
		for [k = 6:1:-1] speedup using (here(side, k)):"measured" with points pointtype marks[k] pointsize 0.8 \
			linecolor rgb series[k] title sprintf("N = %d", n[k])
}
unset multiplot
