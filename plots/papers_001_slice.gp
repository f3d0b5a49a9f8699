# data: papers_001_slice.tsv
# SPDX-License-Identifier: MIT
# Where the error is left after steps of block relaxation: the middle plane of a patch, a scale a picture.
picture = ARG1; data = ARG2; width = 900; height = 620
load "plots/style.gp"
table = data . "papers_001_slice.tsv"
array method[2] = ["jacobi", "chaotic"]
array name[2] = ["Jacobi", "chaotic"]
array steps[3] = [1, 3, 30]
set palette defined (0 "#ffffff", 1 "#9ecae1", 2 "#08519c")
set multiplot layout 2,3 margins 0.03,0.93,0.04,0.86 spacing 0.085,0.1 \
	title "What is left of the error in the middle of a patch of 32^3, blocks of 8^3" font ",14"
unset key
unset xtics
unset ytics
set size square
set cbtics font ",9"
set format cb "%.2g"
set cbrange [0:*]
set xrange [-0.5:31.5]
set yrange [-0.5:31.5]
do for [m = 1:2] {
	do for [s = 1:3] {
		set title sprintf("%s, %d step%s", name[m], steps[s], s > 1 ? "s" : "") offset 0,-0.6 textcolor rgb ink
		do for [line = 1:3] {
			set arrow line from -0.5,(8 * line - 0.5) to 31.5,(8 * line - 0.5) nohead front linecolor rgb "#999999" linewidth 0.5
			set arrow line + 3 from (8 * line - 0.5),-0.5 to (8 * line - 0.5),31.5 nohead front linecolor rgb "#999999" linewidth 0.5
		}
		plot table using (strcol("method") eq method[m] && column("steps") == steps[s] ? column("x") : NaN):"y":"u" with image
	}
}
unset multiplot
