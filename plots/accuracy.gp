# data: points.tsv notes.tsv
# SPDX-License-Identifier: MIT
# Predicted against measured core loops on several GPUs: the tool's answer with its interval, and the trivial baselines.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 740
load "plots/style.gp"
points = data . "points.tsv"; notes = data . "notes.tsv"
array model[4] = ["default", "linear", "same-as-1", "roofline-only"]
array name[4] = ["warpreel (bars: 90 % interval)", "baseline linear: one GPU's time / GPUs", \
	"baseline same-as-1: one GPU's time", "baseline roofline-only: bytes / memory rate"]
is(model, split) = (strcol("set") eq "gpus" && strcol("model") eq model && strcol("split") eq split)
x(model, split) = (is(model, split) ? column("measured_us") * 1e-3 : NaN)
ms(name) = column(name) * 1e-3
note(model, split) = (is(model, split) ? 0.97 : NaN)

# Both axes hold every point of every panel.
shown(name) = (strcol("set") eq "gpus" && strcol("model") ne "zero" && strcol("model") ne "roofline" ? ms(name) : NaN)
stats points using (shown("measured_us")):(shown("predicted_us")) nooutput
least = (STATS_min_x < STATS_min_y ? STATS_min_x : STATS_min_y) / 8
most = (STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y) * 1.6
set logscale xy
set xrange [least:most]; set yrange [least:most]
set xtics ("0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set ytics ("0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set x2range [0:1]; set y2range [0:1]

captions = 'notes using (note(model[k], "interval")):(0.19):"text" axes x2y2 with labels right font ",10" textcolor rgb blue notitle, ' . \
	'notes using (note(model[k], "development")):(0.12):"text" axes x2y2 with labels right font ",10" textcolor rgb red notitle, ' . \
	'notes using (note(model[k], "blind")):(0.05):"text" axes x2y2 with labels right font ",10" textcolor rgb green notitle'
set multiplot layout 2,2 margins 0.065,0.985,0.065,0.915 spacing 0.07,0.1 \
	title "Core loops on several GPUs, predicted against measured: " . machine font ",14"
do for [k = 1:4] {
	set title name[k] offset 0,-0.6 textcolor rgb ink
	set xlabel (k > 2 ? "measured, ms" : "") offset 0,0.5
	set ylabel (k % 2 ? "predicted, ms" : "") offset 1.3,0
	if (k == 1) { set key top left reverse Left } else { unset key }
	if (k == 1) {
		plot x title "" with lines linecolor rgb grey, \
			points using (x("default", "interval")):(ms("lo_us")):(0):(ms("hi_us") - ms("lo_us")) with vectors nohead \
				linewidth 0.7 linecolor rgb blue notitle, \
			points using (x("default", "development")):(ms("lo_us")):(0):(ms("hi_us") - ms("lo_us")) with vectors nohead \
				linewidth 0.7 linecolor rgb red notitle, \
			points using (x("default", "blind")):(ms("lo_us")):(0):(ms("hi_us") - ms("lo_us")) with vectors nohead \
				linewidth 0.7 linecolor rgb green notitle, \
			points using (x("default", "interval")):(ms("predicted_us")) with points pointtype 6 pointsize 0.6 linecolor rgb blue title "interval", \
			points using (x("default", "development")):(ms("predicted_us")) with points pointtype 7 pointsize 0.5 linecolor rgb red title "development", \
			points using (x("default", "blind")):(ms("predicted_us")) with points pointtype 9 pointsize 0.5 linecolor rgb green title "blind", \
			@captions
	} else {
		plot x title "" with lines linecolor rgb grey, \
			points using (x(model[k], "interval")):(ms("predicted_us")) pointtype 6 pointsize 0.6 linecolor rgb blue, \
			points using (x(model[k], "development")):(ms("predicted_us")) pointtype 7 pointsize 0.5 linecolor rgb red, \
			points using (x(model[k], "blind")):(ms("predicted_us")) pointtype 9 pointsize 0.5 linecolor rgb green, \
			@captions
	}
}
unset multiplot
