# data: kernels.tsv
# SPDX-License-Identifier: MIT
# Kernel time predicted against measured, a panel a model. The band is +-25 %.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 500
load "plots/style.gp"
kernels = data . "kernels.tsv"
array known[4] = ["recorded", "scaled", "roofline", "warps"]
array about[4] = ["recorded: durations of a trace", "scaled: recorded, interpolated", "roofline: launch, bytes over rate", \
	"warps: instruction by instruction"]
array split[2] = ["development", "blind"]
colours = red . " " . green
array mark[2] = [7, 9]
band = "#eeeeee"
is(name, s) = (strcol("model") eq name && strcol("split") eq s)
x(name, s) = (is(name, s) ? column("measured_us") : NaN)

# Panels are the models that have rows.
count = 0
array which[4]
do for [k = 1:4] {
	stats kernels using (strcol("model") eq known[k] ? 1 : 0) nooutput
	if (STATS_sum > 0) { count = count + 1; which[count] = k }
}
stats kernels using (strcol("model") eq "warps" ? column("measured_us") : NaN):"predicted_us" nooutput
least = (STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y) / 1.5
most = (STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y) * 1.5
set logscale xy
set format x "%g"; set format y "%g"
set x2range [0:1]; set y2range [0:1]
set xlabel "measured, us a launch" offset 0,0.4
set multiplot layout 1,count margins 0.075,0.985,0.12,0.86 spacing 0.06,0 \
	title "Kernels alone on one " . machine . ": predicted against measured" font ",14"
do for [p = 1:count] {
	set title about[which[p]] offset 0,-0.6 textcolor rgb ink
	set ylabel (p == 1 ? "predicted, us a launch" : "") offset 1,0
	if (p == count) { set key bottom right reverse Left } else { unset key }
	m = known[which[p]]
	set xrange [*:*]; set yrange [*:*] # stats leaves out what the axes do
	shown = ""
	do for [s = 1:2] {
		stats kernels using (is(m, split[s]) ? 1 : 0):(is(m, split[s]) ? abs(column("error_pct")) : 0) nooutput
		if (STATS_sum_x > 0) { shown = shown . " " . s }
		caption = (STATS_sum_x > 0 ? sprintf("%s: n = %d, MAPE %.1f %%", split[s], int(STATS_sum_x + 0.5), STATS_sum_y / STATS_sum_x) : "")
		set label s caption at graph 0.04,1.015 - 0.045 * s left font ",9" textcolor rgb word(colours, s)
	}
	set xrange [least:most]; set yrange [least:most]
	plot "+" using 1:($1 / 1.25):($1 * 1.25) with filledcurves linecolor rgb band notitle, \
		x title "" with lines linecolor rgb grey, \
		for [w in shown] kernels using (x(m, split[int(w)])):"predicted_us" with points pointtype mark[int(w)] pointsize 0.55 linewidth 0.8 \
			linecolor rgb word(colours, int(w)) title split[int(w)]
}
unset multiplot
