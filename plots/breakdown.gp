# data: breakdown.tsv
# SPDX-License-Identifier: MIT
# Where the predicted core loop goes, as shares: stacked bars, a group a grid size, a bar a GPU count, a panel a transport.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 560
load "plots/style.gp"
breakdown = data . "breakdown.tsv"
stats breakdown using "gpus" nooutput
bars = int(log(STATS_max) / log(2) + 1.5)
at(group) = group * (bars + 1) + (bars - 1) / 2.0 + 0.01 # beside the tick of the bar in the middle
set yrange [0:108]; set xrange [-0.9:5 * (bars + 1) - 1.1]
set ytics 25
unset grid
set grid y linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set ylabel "share of core loop, %" offset 1.2,0
set boxwidth 0.86
set style fill solid 1.0 noborder
array transport[2] = ["peer", "host"]
array name[2] = ["transport peer: GPU to GPU", "transport host: staged through host memory"]
array part[4] = ["kernel_us", "transfer_us", "sync_us", "host_us"]
array label[4] = ["kernels", "transfers", "synchronization", "host"]
array fill[4] = [blue, orange, sky, grey]
up(k) = (k > 0 ? column(part[k]) + (k > 1 ? column(part[k - 1]) : 0) + (k > 2 ? column(part[k - 2]) : 0) + (k > 3 ? column(part[k - 3]) : 0) : 0)
share(k) = 100 * up(k) / column("core_us")
x(side) = (strcol("transport") eq transport[side] ? column("x") : NaN)
us(t) = (t < 99.95 ? sprintf("%.1f", t) : sprintf("%.0f", t))
set multiplot layout 2,1 margins 0.065,0.99,0.09,0.86 spacing 0,0.14 \
	title "Where the core loop goes, predicted, fp32, border 1: " . machine font ",14"
do for [side = 1:2] {
	set title name[side] . "   (below each bar: GPUs; above: us per iteration)" offset 0,-0.7 textcolor rgb ink
	set xtics scale 0 offset 0,0.3
	set xtics ()
	if (side == 1) { set key at screen 0.5,0.93 center maxrows 1 samplen 1.2 width 1 } else { unset key }
	set xtics ("\nN = 1024" at(0), "\nN = 4096" at(1), "\nN = 8192" at(2), "\nN = 16384" at(3), "\nN = 32768" at(4))
	set for [group = 0:4] for [bar = 0:bars - 1] xtics add (sprintf("%d", 2 ** bar) group * (bars + 1) + bar)
	plot for [k = 1:4] breakdown using (x(side)):(share(k)):(x(side) - 0.43):(x(side) + 0.43):(share(k - 1)):(share(k)) \
			with boxxyerror linecolor rgb fill[k] title label[k], \
		breakdown using (x(side)):(104.5):(us(column("core_us"))) with labels font ",9" textcolor rgb ink notitle
}
unset multiplot
