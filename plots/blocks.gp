# data: blocks.tsv
# SPDX-License-Identifier: MIT
# Blocks of one launch: on a few multiprocessors as instrumented kernels wrote them down, and below on the one that is simulated.
# Columns: who (measured, simulated), kernel, panel (which of the multiprocessors shown, from 0), sm (its number), slot (place on it),
# begin_us, end_us (from the first begin of the launch), config. A bar is a block, a line of bars a slot.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 620
load "plots/style.gp"
blocks = data . "blocks.tsv"
stats blocks using "end_us" nooutput
last = STATS_max
stats blocks using "slot" nooutput
slots = int(STATS_max) + 1
stats blocks using "panel" nooutput
panels = int(STATS_max) + 1
stats blocks using (strcol("who") eq "simulated" ? 1 : 0) nooutput
simulated = int(STATS_sum)
stats blocks using (0):(config = strcol("config"), kernel = strcol("kernel"), 0) nooutput
set xrange [-0.01 * last:1.01 * last]
unset grid
set grid x linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set style fill solid 0.85 border rgb "white"
row(panel, slot) = panel * (slots + 1) + slot
set multiplot layout (simulated ? 2 : 1),1 margins 0.085,0.985,0.09,0.87 spacing 0,0.09 \
	title sprintf("Blocks of %s on %d multiprocessors of an %s", kernel, panels, machine) font ",14"
set label 1 config at screen 0.5,0.932 center font ",10" textcolor rgb grey
set yrange [row(panels - 1, slots) - 0.5:-1]
set ytics scale 0
set title "measured" offset 0,-0.7 textcolor rgb ink
if (!simulated) set xlabel "us since the first block began"
unset key
plot blocks using (strcol("who") eq "measured" ? column("begin_us") : NaN):(row(column("panel"), column("slot"))):"begin_us":"end_us":\
	(row(column("panel"), column("slot")) - 0.42):(row(column("panel"), column("slot")) + 0.42):ytic(column("slot") == 0 ? sprintf("SM %s", strcol("sm")) : "") \
	with boxxyerror linecolor rgb blue
unset label 1
if (simulated) {
	set title "simulated, one for all, as far as it was played (the rest is in the steady state)" offset 0,-0.7 textcolor rgb ink
	set xlabel "us since the first block began"
	set yrange [slots - 0.5:-1]
	unset ytics
	set ytics ("SM" 0) scale 0
	plot blocks using (strcol("who") eq "simulated" ? column("begin_us") : NaN):"slot":"begin_us":"end_us":(column("slot") - 0.42):(column("slot") + 0.42) \
		with boxxyerror linecolor rgb orange
}
unset multiplot
