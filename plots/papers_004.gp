# data: papers_004.tsv
# SPDX-License-Identifier: MIT
# Figure 6.1 of Spampinato again: 100 iterations in strips on four GPUs, simulated on an S1070 and on the machine of today.
picture = ARG1; data = ARG2; width = 860; height = 420
load "plots/style.gp"
table = data . "papers_004.tsv"
set title "100 iterations of red-black SOR in strips on four GPUs: S1070 and H200, simulated" textcolor rgb ink
set ylabel "seconds"
set xlabel "N" offset 0,0.4
set logscale xy
set xrange [100:70000]
set format y "%g"
set key left top reverse Left
of(device, column_name) = (strcol("device") eq device ? column(column_name) : NaN)
plot table using "n":(of("c1060", "et_s")) with linespoints pointtype 7 pointsize 0.6 linecolor rgb blue title "S1070, elapsed", \
	table using "n":(of("c1060", "kt_s")) with lines dashtype 2 linecolor rgb blue title "kernels", \
	table using "n":(of("c1060", "ct_s")) with lines dashtype 3 linecolor rgb blue title "communication", \
	table using "n":(of("h200x4", "et_s")) with linespoints pointtype 7 pointsize 0.6 linecolor rgb orange title "H200, elapsed", \
	table using "n":(of("h200x4", "kt_s")) with lines dashtype 2 linecolor rgb orange title "kernels", \
	table using "n":(of("h200x4", "ct_s")) with lines dashtype 3 linecolor rgb orange title "communication"
