# data: programs.tsv
# SPDX-License-Identifier: MIT
# Programs of others, played back on the machine that recorded them: answer over untraced time, with its interval, and what the
# recording itself says. A row a program, in order of bound and name.
picture = ARG1; data = ARG2; machine = ARG3; width = 900
stats ARG2 . (strlen(ARG2) ? "/" : "") . "programs.tsv" using 0 nooutput
height = 150 + 19 * STATS_records
load "plots/style.gp"
rows = data . "programs.tsv"
over(name) = column(name) / column("measured_us")
of(split) = (strcol("split") eq split ? over("predicted_us") : NaN)
set lmargin at screen 0.27
set datafile columnheaders
set title "Programs of others, recorded and played back: " . machine font ",14"
set xlabel "answer / untraced time"
set logscale x
set xrange [0.7:2]
set xtics (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2)
set yrange [-0.7:STATS_records - 1.3] # one record is the header
set arrow from 1, graph 0 to 1, graph 1 nohead linecolor rgb ink linewidth 1
set key bottom right
plot rows using (over("lo_us")):0:(over("hi_us") - over("lo_us")):(0):ytic(strcol("program")) with vectors nohead linewidth 2.5 \
		linecolor rgb sky title "90 % interval", \
	rows using (over("traced_us")):0 with points pointtype 2 pointsize 0.7 linecolor rgb grey title "as recorded", \
	rows using (of("development")):0 with points pointtype 7 pointsize 0.7 linecolor rgb red title "development", \
	rows using (of("blind")):0 with points pointtype 9 pointsize 0.9 linecolor rgb green title "blind"
