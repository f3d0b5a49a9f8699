#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws runs of red-black SOR on one GPU, by all its kernels, to be named and answered before they are measured (docs/lab/splits.md):
#
#     sh traces/data/draw_one_gpu.sh SEED COUNT
#
# Each option is drawn from what those before it leave, and a row that the solver would refuse all the same is drawn again. Sides
# are log-uniform; every third grid is a rectangle, and persistent has what registers hold. The same seed gives the same list
# everywhere.
set -eu
seed=${1:?SEED} count=${2:?COUNT}
awk -v seed="$seed" -v count="$count" "$(cat "$(dirname "$0")/draw.awk")"'
function iterations(points) { return points < 2.25e6 ? 200 : points < 2.5e7 ? 100 : 40 }
function grid(least, most) {
	rows = side(least, most)
	columns = draw() < 1 / 3 ? side(least, most) : rows
}
function run() {
	kernel = pick("paper texture texture tuned fused temporal temporal persistent")
	precision = pick("f32 f64")
	if (kernel == "persistent")
		grid(200, precision == "f32" ? 1300 : 1100)
	else
		grid(300, 16000)
	indices = kernel == "paper" ? pick("any strips branch blocks") : "any"
	scheme = kernel ~ /paper|texture|tuned/ ? pick("exact exact exact thesis") : "exact"
	depth = pick("2 4 6 8")
	border = kernel == "persistent" ? 1 : pick("1 1 1 2 4 8")
	sync = kernel ~ /texture|persistent/ ? pick("usual usual one-thread") : pick("usual graph one-thread")
	return sprintf("rbsor 1 size=%dx%d precision=%s kernel=%s scheme=%s border=%d transport=peer iterations=%d", rows, columns, precision,
		kernel, scheme, border, iterations(rows * columns)) \
		(kernel == "temporal" ? " depth=" depth : "") (indices == "any" ? "" : " indices=" indices) (sync == "usual" ? "" : " sync=" sync)
}
BEGIN {
	begin()
	for (k = 0; k < count; k++)
		print run()
}'
