# data: kernel_size.tsv
# SPDX-License-Identifier: MIT
# Time of a launch against the size, a panel a kernel, through all regimes: launch, L2, DRAM, or arithmetic.
picture = ARG1; data = ARG2; machine = ARG3; width = 1000; height = 1200
load "plots/style.gp"
table = data . "kernel_size.tsv"
stats table using "panel" nooutput
panels = int(STATS_max)
columns = 5
rows = (panels + columns - 1) / columns
array name[panels]
array least[panels]
array most[panels]
do for [p = 1:panels] {
	kernel = ""
	stats table using (column("panel") == p ? column("n") : NaN):(kernel = column("panel") == p ? strcol("kernel") : kernel, column("us")) nooutput
	name[p] = kernel
	least[p] = STATS_min_x; most[p] = STATS_max_x
}
stats table using (strcol("what") eq "measured" ? column("us") : NaN) nooutput
bottom = STATS_min / 2; top = 2000
x(p, what) = (column("panel") == p && strcol("what") eq what ? column("n") : NaN)
set logscale xy
unset mxtics
unset mytics
set yrange [bottom:top]
set xtics ("100" 1e2, "1k" 1e3, "10k" 1e4, "100k" 1e5, "1M" 1e6, "10M" 1e7, "100M" 1e8) font ",9" offset 0,0.3
set multiplot layout rows,columns margins 0.06,0.985,0.03,0.93 spacing 0.022,0.042 \
	title "A launch against its size, " . machine . ": measured (marks), warps (line), roofline (thin)" font ",14"
do for [p = 1:panels] {
	set title name[p] offset 0,-0.8 font ",10" textcolor rgb ink
	set xrange [least[p] / 1.5:most[p] * 1.5]
	if (p % columns == 1) { set format y "%g"; set ylabel "us" offset 2.4,0 } else { set format y ""; unset ylabel }
	unset key
	plot table using (x(p, "curve")):"roofline_us" with lines linewidth 0.7 linecolor rgb grey notitle, \
		table using (x(p, "curve")):"us" with lines linewidth 1.5 linecolor rgb blue notitle, \
		table using (x(p, "measured")):"us" with points pointtype 7 pointsize 0.5 linecolor rgb ink notitle
}
unset multiplot
