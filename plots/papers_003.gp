# data: papers_003.tsv
# SPDX-License-Identifier: MIT
# Figures 7 and 8 of Chen et al. again: Poisson by the interval of host synchronization, with 30 blocks resident, measured and co-simulated.
picture = ARG1; data = ARG2; width = 860; height = 420
load "plots/style.gp"
table = data . "papers_003.tsv"
set title "Poisson until it has converged, 30 blocks resident on one H200: points measured, lines co-simulated" textcolor rgb ink
set xlabel "steps between two synchronizations with the host" offset 0,0.4
set ylabel "ms"
set xrange [0:105]
set yrange [0:*]
set key outside right top reverse Left
schemes = "4w-combine-square 4w-square 4w-stripe ud-square ud-stripe coarse"
here(k, c) = (strcol("scheme") eq word(schemes, k) ? column(c) : NaN)
plot for [k = 1:6] table using (here(k, "n")):(here(k, "ms_30")) with points pointtype 7 pointsize 0.8 linecolor rgb series[k] title word(schemes, k), \
	for [k = 1:6] table using (strcol("scheme") eq word(schemes, k) ? column("n") : 1 / 0):(column("ms_30_cosim")) with lines linecolor rgb series[k] notitle
