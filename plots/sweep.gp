# Drawn by plots/sweep.sh, from the table of warpreel sweep.
# Curves of y over x, one for each series; or a heat map of z over x and y.
load style
heat = (z_name ne "")
set xlabel x_name
if (!heat && x_log) set logscale x 2
if (heat) set ylabel y_name; set cblabel z_name; unset grid; set autoscale fix; set tics scale 0
if (!heat) set ylabel y_name; set key outside right top
if (!heat && y_log) set logscale y 10
if (heat && z_log) set logscale cb
set palette defined (0 "#f7fbff", 0.5 "#6baed6", 1 "#08306b")
stats table using 1 nooutput
if (heat) plot table using 1:2:(0.5):(0.5):3:xtic(4):ytic(5) with boxxyerror fillstyle solid noborder linecolor palette notitle
if (!heat) plot for [k = 0:STATS_blocks - 1] table index k using 1:2 with linespoints pointtype marks[k % 7 + 1] pointsize 0.5 linewidth 1.4 linecolor rgb series[k % 7 + 1] title columnheader(1)
