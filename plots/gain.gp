# data: gain.tsv
# SPDX-License-Identifier: MIT
# What wider borders bring on as many GPUs as were measured: fewer exchanges against more rows computed twice.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 400
load "plots/style.gp"
gain = data . "gain.tsv"
set logscale xy 2
set xrange [0.85:19]; set xtics (1, 4, 16)
set format y "%g"; set ytics (0.25, 0.5, 1, 2, 4, 8)
stats gain using "gpus" nooutput
gpus = int(STATS_max)
of_most(x) = (column("gpus") == gpus && strcol("precision") eq "f32" && strcol("kernel") eq "tuned")
stats gain using (of_most(0) ? column("measured") : NaN) nooutput
low = STATS_min; high = STATS_max
stats gain using (of_most(0) ? column("predicted") : NaN) nooutput
set yrange [(low < STATS_min ? low : STATS_min) / 1.15:(high > STATS_max ? high : STATS_max) * 1.15]
set xlabel "border width b: iterations between exchanges" offset 0,0.4
array transport[2] = ["peer", "host"]
array name[2] = ["transport peer: GPU to GPU", "transport host: staged through host memory"]
array n[7] = [512, 1024, 2048, 4096, 6144, 8192, 16384]
here(side, k) = (column("n") == n[k] && column("gpus") == gpus && strcol("transport") eq transport[side] && \
	strcol("precision") eq "f32" && strcol("kernel") eq "tuned" ? column("border") : NaN)
stats gain using (of_most(0) && column("border") > 1 ? column("measured") : NaN) nooutput
set multiplot layout 1,2 margins 0.07,0.88,0.125,0.85 spacing 0.045,0 \
	title sprintf("Gain of wider borders, %d x %s, fp32: %d measured (marks), predicted (lines)", gpus, machine, STATS_records) font ",14"
do for [side = 1:2] {
	set title name[side] offset 0,-0.6 textcolor rgb ink
	set ylabel (side == 1 ? "time with b = 1 / time with b" : "") offset 0.5,0
	if (side == 2) { set key at screen 0.99,0.85 top right reverse Left } else { unset key }
	plot 1 with lines linecolor rgb grey dashtype 2 notitle, \
		for [k = 1:7] gain using (here(side, k)):"predicted" with lines linewidth 1.5 linecolor rgb series[k] notitle, \
		for [k = 1:7] gain using (here(side, k)):"measured" with points pointtype marks[k] pointsize 0.8 \
			linecolor rgb series[k] title sprintf("N = %d", n[k])
}
unset multiplot
