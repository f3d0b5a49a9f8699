# data: time.tsv
# SPDX-License-Identifier: MIT
# Time of one iteration against the side of the grid, a curve a GPU count, a panel a transport.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 430
load "plots/style.gp"
time = data . "time.tsv"
set logscale xy
set xtics ("512" 512, "1024" 1024, "2048" 2048, "4096" 4096, "8192" 8192, "16384" 16384, "32768" 32768)
set xrange [430:39000]
set format y "%g"
set xlabel "N (grid of N x N points)" offset 0,0.4
array transport[2] = ["peer", "host"]
array name[2] = ["transport peer: GPU to GPU", "transport host: staged through host memory"]
here(gpus, side) = (strcol("precision") eq "f32" && strcol("kernel") eq "tuned" && column("border") == 1 && \
	strcol("transport") eq transport[side] && column("gpus") == gpus ? column("n") : NaN)
stats time using "gpus" nooutput
last = int(log(STATS_max) / log(2) + 0.5)
stats time using (strcol("precision") eq "f32" && strcol("kernel") eq "tuned" && column("border") == 1 && \
	(column("gpus") > 1 || strcol("transport") eq "peer") ? column("measured") : NaN) nooutput
n = STATS_records
least = STATS_min; most = STATS_max
set yrange [least / 1.3:most * 1.3]
set multiplot layout 1,2 margins 0.075,0.975,0.115,0.86 spacing 0.055,0 \
	title sprintf("Time of an iteration, fp32, %s: %d measured (marks), predicted (lines)", machine, n) font ",14"
do for [side = 1:2] {
	set title name[side] offset 0,-0.6 textcolor rgb ink
	set ylabel (side == 1 ? "us per iteration" : "") offset 1,0
	if (side == 1) { set key top left reverse Left } else { unset key }
	plot for [k = 0:last] time using (here(2 ** k, side)):"predicted" with lines \
			linewidth 1.5 linecolor rgb series[k + 1] notitle, \
		for [k = 0:last] time using (here(2 ** k, side)):"measured" with points \
			pointtype marks[k + 1] pointsize 0.8 linecolor rgb series[k + 1] title sprintf("%d GPU%s", 2 ** k, k ? "s" : "")
}
unset multiplot
