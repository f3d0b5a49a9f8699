# data: families.tsv
# SPDX-License-Identifier: MIT
# What 2 and 4 GPUs are worth beside one, a curve a configuration: speed-up of all families, efficiency of red-black SOR by its fastest ways.
picture = ARG1; data = ARG2; width = 1120; height = 470
load "plots/style.gp"
families = data . "families.tsv"
array about[2] = ["drawn runs of all families", "red-black SOR by its fastest ways"]
array side[2] = [0.07, 0.61]
labels(panel) = system(sprintf("awk -F '\t' '$1 == %d && !seen[$2]++ { gsub(/ /, \"_\", $2); print $2 }' %s", panel, families))
plain(name) = system(sprintf("echo '%s' | tr _ ' '", name))
here(panel, name) = (column("panel") == panel && strcol("label") eq plain(name) ? column("gpus") : NaN)
shown(panel, of) = (panel == 1 ? column(of) : column(of) / column("gpus"))
color(k) = series[1 + (k - 1) % 7]
mark(k) = marks[1 + (k - 1 + (k - 1) / 7 * 3) % 7]
set logscale x 2; set xrange [0.9:4.4]; set xtics (1, 2, 4)
set xlabel "GPUs" offset 0,0.4
set tmargin at screen 0.84; set bmargin at screen 0.1
set multiplot title "One, two and four NVIDIA H200 (visit DA): measured (marks), answered before (lines)" font ",14"
do for [panel = 1:2] {
	set title about[panel] offset 0,-0.6 textcolor rgb ink
	set lmargin at screen side[panel]; set rmargin at screen side[panel] + 0.24
	set key at screen side[panel] + 0.245, 0.84 left top reverse Left font ",10"
	if (panel == 1) {
		set logscale y 2; set yrange [0.11:4.6]; set ytics (0.125, 0.25, 0.5, 1, 2, 4)
		set ylabel "time on one GPU / time on G GPUs" offset 1,0
	} else {
		unset logscale y; set yrange [0.7:1.1]; set ytics 0.1
		set ylabel "parallel efficiency" offset 1,0
	}
	names = labels(panel)
	plot (panel == 1 ? x : 1) title "ideal" with lines linecolor rgb grey dashtype 2, \
		for [k = 1:words(names)] families using (here(panel, word(names, k))):(shown(panel, "predicted")) with lines \
			linewidth 1.5 linecolor rgb color(k) notitle, \
		for [k = 1:words(names)] families using (here(panel, word(names, k))):(shown(panel, "measured")) with points \
			pointtype mark(k) pointsize 0.8 linecolor rgb color(k) title plain(word(names, k))
}
unset multiplot
