#!/bin/sh
# Draws red-black SOR of several iterations a pass, to be named before it is measured (docs/lab/splits.md):
#
#     sh traces/data/draw_passes.sh SEED kernels|runs
#
# Sides are log-uniform from 500 to 19000 (persistent: up to what its registers hold); of kernels alone every third
# grid is a rectangle, of runs every second of a kernel goes by graphs. The same seed gives the same list everywhere.
set -eu
seed=${1:?SEED} what=${2:?kernels or runs}
awk -v seed="$seed" -v what="$what" "$(cat "$(dirname "$0")/draw.awk")"'
function line(rows, columns, precision, kernel, iterations, more) {
	printf "rbsor 1 size=%dx%d precision=%s kernel=%s scheme=exact border=1 transport=peer iterations=%d%s\n",
		rows, columns, precision, kernel, iterations, more
}
BEGIN {
	begin()
	each = what == "kernels" ? 3 : 2
	for (p = 32; p <= 64; p += 32)
		for (depth = 0; depth <= 8; depth += depth ? 2 : 1) {
			if (depth == 1)
				depth = 2
			for (k = 0; k < each; k++) {
				rows = depth ? side(500, 19000) : side(400, p == 32 ? 1300 : 1100)
				columns = what == "kernels" && k == each - 1 && depth ? side(500, 19000) : rows
				iterations = what == "runs" ? 96 : depth ? depth : 100
				more = (depth ? " depth=" depth : "") (what == "runs" && depth && k == 1 ? " sync=graph" : "")
				line(rows, columns, "f" p, depth ? "temporal" : "persistent", iterations, more)
			}
		}
	for (p = 32; p <= 64; p += 32)
		for (k = 0; k < each; k++) {
			rows = side(500, 19000)
			columns = what == "kernels" && k == each - 1 ? side(500, 19000) : rows
			line(rows, columns, "f" p, "fused", what == "runs" ? 96 : 1,
				what == "runs" && k == 1 ? " sync=graph" : "")
		}
}'
