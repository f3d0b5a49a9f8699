#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws grids of red-black SOR and lists of each what there is to choose among, to be answered before any is measured: is the choice of the
# simulator the fastest? (docs/lab/passes.md)
#
#     sh traces/data/draw_choices.sh SEED
#
# Eight grids for two GPUs with borders, kernels, transports, waits and partitions; four for one GPU with kernels and graphs. Sides are log-uniform
# from 600 to 6000, every fourth grid is a rectangle, f32 and f64 take turns. The same seed gives the same list everywhere.
set -eu
seed=${1:?SEED}
awk -v seed="$seed" "$(cat "$(dirname "$0")/draw.awk")"'
# KERNEL BORDER TRANSPORT [MORE]
function among(gpus, ways, way, count, k, word) {
	count = split(ways, way, ";")
	for (k = 1; k <= count; k++) {
		split(way[k], word, " ")
		if (word[1] == "persistent" && rows * columns > 1100 * 1100)
			continue
		printf "rbsor %d size=%dx%d precision=%s kernel=%s scheme=exact border=%d transport=%s iterations=96%s%s\n", gpus, rows,
			columns, precision, word[1], word[2], word[3], word[4] == "" ? "" : " " word[4], word[5] == "" ? "" : " " word[5]
		word[4] = word[5] = ""
	}
}
BEGIN {
	begin()
	for (k = 0; k < 12; k++) {
		rows = side(600, 6000)
		columns = k % 4 == 3 ? side(600, 6000) : rows
		precision = k % 2 ? "f64" : "f32"
		if (k < 8)
			among(2, "tuned 1 peer;tuned 4 peer;tuned 4 peer sync=graph;tuned 4 host;store 1 peer;" \
				"fused 1 peer;fused 4 peer;fused 4 peer sync=graph;fused 4 host;fused 1 peer partition=1x2;" \
				"temporal 4 peer depth=4;temporal 8 peer depth=4;temporal 8 peer depth=4 sync=graph;temporal 8 host depth=4;" \
				"temporal 8 peer depth=4 partition=1x2;temporal 8 peer depth=2 sync=graph;temporal 6 peer depth=6 sync=graph;" \
				"temporal 12 peer depth=6 sync=graph;temporal 8 peer depth=8 sync=graph;temporal 16 peer depth=8 sync=graph")
		else
			among(1, "paper 1 peer;tuned 1 peer;tuned 1 peer sync=graph;fused 1 peer;fused 1 peer sync=graph;persistent 1 peer;" \
				"temporal 1 peer depth=2 sync=graph;temporal 1 peer depth=4;temporal 1 peer depth=4 sync=graph;" \
				"temporal 1 peer depth=6 sync=graph;temporal 1 peer depth=8 sync=graph")
	}
}'
