# data: papers_001.tsv
# SPDX-License-Identifier: MIT
# Figures 7 and 8 of Rodriguez et al. again: three steps on an X2090 as published, and what its transfers and its products come to.
picture = ARG1; data = ARG2; width = 860; height = 420
load "plots/style.gp"
table = data . "papers_001.tsv"
set title "Block relaxation, blocks of 8^3, three steps on an X2090" textcolor rgb ink
set ylabel "seconds"
set xlabel "published seconds" offset 0,0.4
set xrange [0.7:4.3]
set yrange [0:4.3]
set key left top reverse Left
here(column_name) = (strcol("device") eq "x2090" ? column(column_name) : NaN)
plot x with lines linecolor rgb grey title "as published", \
	table using (here("published_s")):(here("simulated_s")) with points pointtype 7 pointsize 0.9 linecolor rgb blue title "simulated (products)", \
	table using (here("published_s")):(here("transfers_s")) with points pointtype 5 pointsize 0.8 linecolor rgb orange title "transfers, beside them"
