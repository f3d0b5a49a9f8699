# data: points.tsv notes.tsv
# SPDX-License-Identifier: MIT
# Signed errors of the tool's answer, set by set, with the interval: a bar that crosses the zero line covers the measurement.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 640
load "plots/style.gp"
points = data . "points.tsv"; notes = data . "notes.tsv"
set logscale x
stats points using (strcol("model") eq "default" ? column("measured_us") * 1e-3 : NaN) nooutput
set xrange [STATS_min / 1.3:STATS_max * 1.3]
set xtics ("0.1" 0.1, "1" 1, "10" 10, "100" 100) format ""
# Beyond these there are few, and each has its number beside its arrow.
low = -50; high = 70
set yrange [low:high * 1.35]; set ytics -40, 20, 60
set x2range [0:1]; set y2range [0:1]
set errorbars 0
set xzeroaxis linetype 1 linewidth 1 linecolor rgb ink
is(set, split) = (strcol("set") eq set && strcol("model") eq "default" && strcol("split") eq split)
x(set, split) = (is(set, split) ? column("measured_us") * 1e-3 : NaN)
error(name) = 100 * (column(name) / column("measured_us") - 1)
beyond(set, split) = (is(set, split) && error("predicted_us") > high ? column("measured_us") * 1e-3 : NaN)
note(set, split) = (is(set, split) ? (split eq "interval" ? 0.01 : 0.48) : NaN)
array which[3] = ["replay", "size", "gpus"]
array name[3] = ["set replay: the run's own trace, played back untraced", "set size: one GPU, from the plan and what one GPU shows", \
	"set gpus: several GPUs, from the plan and what one GPU shows"]
set multiplot layout 3,1 margins 0.075,0.985,0.075,0.915 spacing 0,0.055 \
	title "Error of the predicted core loop, with its 90 % interval: " . machine font ",14"
set ylabel "error, %" offset 0.3,0
do for [k = 1:3] {
	set title name[k] offset 0,-0.7 textcolor rgb ink
	if (k == 3) {
		set xtics ("0.1" 0.1, "1" 1, "10" 10, "100" 100)
		set xlabel "measured core loop, ms" offset 0,0.5
	} else {
		set xtics ("" 0.1, "" 1, "" 10, "" 100)
	}
	unset key
	plot points using (x(which[k], "interval")):(error("lo_us")):(0):(error("hi_us") - error("lo_us")) with vectors nohead \
			linewidth 0.8 linecolor rgb blue notitle, \
		points using (x(which[k], "development")):(error("lo_us")):(0):(error("hi_us") - error("lo_us")) with vectors nohead \
			linewidth 0.8 linecolor rgb red notitle, \
		points using (x(which[k], "blind")):(error("lo_us")):(0):(error("hi_us") - error("lo_us")) with vectors nohead \
			linewidth 0.8 linecolor rgb green notitle, \
		points using (x(which[k], "interval")):(error("predicted_us")) with points pointtype 6 pointsize 0.6 linecolor rgb blue title "interval", \
		points using (x(which[k], "development")):(error("predicted_us")) with points pointtype 7 pointsize 0.55 linecolor rgb red title "development", \
		points using (x(which[k], "blind")):(error("predicted_us")) with points pointtype 9 pointsize 0.6 linecolor rgb green title "blind", \
		for [split in "interval development blind"] points using (beyond(which[k], split)):(high * 0.9):(sprintf("  %+.0f %% ↑", error("predicted_us"))) \
			with labels left font ",9" textcolor rgb (split eq "interval" ? blue : split eq "blind" ? green : red) notitle, \
		notes using (note(which[k], "interval")):(0.92):(strcol("text") . strcol("coverage")) axes x2y2 with labels left font ",10" textcolor rgb blue notitle, \
		notes using (note(which[k], "development")):(0.92):(strcol("text") . strcol("coverage")) axes x2y2 with labels left font ",10" textcolor rgb red notitle, \
		notes using (note(which[k], "blind")):(0.8):(strcol("text") . strcol("coverage")) axes x2y2 with labels left font ",10" textcolor rgb green notitle
}
unset multiplot
