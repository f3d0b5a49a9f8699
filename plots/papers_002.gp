# data: papers_002.tsv
# SPDX-License-Identifier: MIT
# Figure 1 of Cotronis et al. again: updates a second, and how much faster than one CPU thread of the same time, against the side of the grid.
picture = ARG1; data = ARG2; width = 1160; height = 450
load "plots/style.gp"
table = data . "papers_002.tsv"
set logscale xy
set xtics (402, 1002, 2002, 3002, 4002)
set xrange [370:4400]
set xlabel "grid points a side" offset 0,0.4
set format y "%g"
array device[8] = ["opteron6180se", "gtx480", "c2050", "host", "host", "h200x4", "h200x4", "h200x4"]
array kernel[8] = ["rows", "2", "2", "rows", "openmp", "2", "tuned4", "tuned4, check=device"]
array name[8] = ["Opteron 6180 SE, 1 thread", "GTX 480, #2", "C2050, #2", "CPU of today, 1 thread", "CPU of today, all cores", "H200, #2", "H200, tuned4", \
	"H200, tuned4, check=device"]
array colour[8] = [grey, blue, sky, ink, purple, green, orange, red]
here(k, known) = (strcol("device") eq device[k] && strcol("kernel") eq kernel[k] && (strcol("what") eq "simulated") != known ? column("size") : NaN)
simulated = "2 3 6 7 8"
set multiplot layout 1,2 margins 0.06,0.765,0.115,0.86 spacing 0.06,0 \
	title "Local modified SOR, problem 2, Re 10: published or measured (marks) and simulated (lines)" font ",14"
do for [side = 1:2] {
	value = side == 1 ? "melem_per_s" : "speedup"
	set title (side == 1 ? "million updates a second" : "speed-up over one CPU thread of the same year") offset 0,-0.6 textcolor rgb ink
	if (side == 1) { unset key; set yrange [15:*] } else { set key at screen 0.78,0.86 left top reverse Left font ",10"; set yrange [0.8:*] }
	plot for [k in simulated] table using (here(k + 0, 0)):value with lines linewidth 1.5 linecolor rgb colour[k + 0] notitle, \
		for [k = 1:8] table using (here(k, 1)):value with points pointtype marks[(k - 1) % 7 + 1] pointsize 0.9 linecolor rgb colour[k] title name[k]
}
unset multiplot
