# data: timeline.tsv
# SPDX-License-Identifier: MIT
# The same iterations as recorded and as predicted, GPU by GPU.
picture = ARG1; data = ARG2; machine = ARG3; width = 900; height = 560
load "plots/style.gp"
timeline = data . "timeline.tsv"
stats timeline using (column("span_us")) nooutput
span = STATS_max
stats timeline using "gpu" nooutput
gpus = int(STATS_max) + 1
stats timeline using (0):(config = strcol("config"), 0) nooutput
set xrange [-0.02 * span:1.04 * span]
set yrange [gpus - 0.4:-0.6]
set ytics 1 scale 0
unset grid
set grid x linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set ylabel "GPU" offset 1,0
set style fill solid 1.0 noborder
array who[2] = ["measured", "predicted"]
array name[2] = ["measured (under the recorder, which slows the host)", "predicted (untraced)"]
array what[3] = ["red", "black", "copy"]
array label[3] = ["red sweep", "black sweep", "border copy"]
array fill[3] = [red, "#444444", sky]
array top[3] = [-0.4, -0.4, 0.08]
array bottom[3] = [0.08, 0.08, 0.4]
x(side, k) = (strcol("who") eq who[side] && strcol("what") eq what[k] ? column("start_us") : NaN)
set multiplot layout 2,1 margins 0.045,0.985,0.11,0.86 spacing 0,0.08 \
	title sprintf("Three iterations on %d x %s, recorded and predicted", gpus, machine) font ",14"
set label 1 config at screen 0.5,0.927 center font ",10" textcolor rgb grey
do for [side = 1:2] {
	set title name[side] offset 0,-0.7 textcolor rgb ink
	if (side == 1) { set key at screen 0.985,0.035 right maxrows 1 samplen 1.2 width 1; set format x "" }
	if (side == 2) { unset key; unset label 1; set format x "%g" }
	if (side == 2) { set xlabel "us since the ninth iteration began on GPU 0" offset -14,0.5 }
	plot for [k = 1:3] timeline using (x(side, k)):"gpu":"start_us":"end_us":(column("gpu") + top[k]):(column("gpu") + bottom[k]) \
		with boxxyerror linecolor rgb fill[k] title label[k]
}
unset multiplot
