#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws runs on two GPUs, to be named and answered before they are measured (docs/lab/splits.md):
#
#     sh traces/data/draw_two_gpus.sh SEED ways|nccl|lmsor|jacobi COUNT
#     sh traces/data/draw_two_gpus.sh SEED some COUNT < LIST    # of a list, in its order: those to be recorded as well
#
# ways: red-black SOR by all its ways to share a grid, to wait and to exchange borders; nccl: borders as messages of
# NCCL's, apart since a machine may have none. Each option is drawn from what those before it leave, and a row that the
# solver would refuse all the same is drawn again. Sides are log-uniform; every third grid is a rectangle. The same
# seed gives the same list everywhere.
set -eu
seed=${1:?SEED} what=${2:?ways, nccl, lmsor, jacobi or some} count=${3:?COUNT}
case $what in
ways | nccl | lmsor | jacobi | some) ;;
*) echo "draw_two_gpus.sh: ways, nccl, lmsor, jacobi or some, not '$what'" >&2; exit 2 ;;
esac
awk -v seed="$seed" -v what="$what" -v count="$count" "$(cat "$(dirname "$0")/draw.awk")"'
function iterations(rows, columns) { return rows * columns < 1500 * 1500 ? 200 : rows * columns < 5000 * 5000 ? 100 : 40 }
function grid(least, most) {
	rows = side(least, most)
	columns = draw() < 1 / 3 ? side(least, most) : rows
}
# What rbsor refuses on two GPUs (kernels/rbsor/rbsor_params.c), and halos that are a good part of the grid.
function refused() {
	return (kernel ~ /tuned|store/ && partition == "1x2") || (kernel ~ /fused|temporal|store/ && scheme == "thesis") ||
		(kernel == "store" && (border > 1 || transport == "host" || sync ~ /graph|nccl/ || timing == "thesis")) ||
		(kernel == "texture" && sync == "graph") || (indices ~ /strips|branch/ && partition == "1x2") ||
		rows < 80 * border || columns < 80 * border
}
function way() {
	do {
		grid(400, 16000)
		sync = what == "nccl" ? pick("nccl nccl-put") : pick("usual spin condition one-thread graph")
		transport = sync ~ /graph|nccl/ ? "peer" : pick("peer host")
		order = transport == "host" && sync != "one-thread" ? pick("chessboard free boss-worker") : "chessboard"
		staging = transport == "host" ? pick("pinned pageable") : "pinned"
		timing = sync ~ /graph|nccl|one-thread/ || order == "boss-worker" ? "plain" : pick("plain plain plain thesis")
		kernel = pick("paper texture tuned tuned store fused temporal temporal")
		precision = pick("f32 f64")
		indices = kernel == "paper" ? pick("any strips branch blocks") : "any"
		scheme = pick("exact exact exact thesis")
		depth = pick("2 4 6 8")
		border = kernel == "temporal" ? depth * pick("1 2") : pick("1 1 2 4 8 16")
		partition = pick("strips strips 1x2")
	} while (refused())
	return sprintf("rbsor 2 size=%dx%d precision=%s kernel=%s scheme=%s border=%d transport=%s iterations=%d", rows, columns,
		precision, kernel, scheme, border, transport, iterations(rows, columns)) \
		(kernel == "temporal" ? " depth=" depth : "") (indices == "any" ? "" : " indices=" indices) \
		(partition == "strips" ? "" : " partition=" partition) (sync == "usual" ? "" : " sync=" sync) \
		(order == "chessboard" ? "" : " order=" order) (staging == "pinned" ? "" : " staging=" staging) \
		(timing == "plain" ? "" : " timing=" timing)
}
function lmsor() {
	rows = side(300, 12000)
	return sprintf("lmsor 2 size=%d problem=%d re=%s omega=as-run kernel=%s check=%s border=%d transport=%s tolerance=1e-06 max-iterations=20000 iterations=%d",
		rows, pick("1 2 3"), pick("1 10 100"), pick("1 2 3 tuned1 tuned2 tuned3 tuned4 tuned4"), pick("every 10 device device"),
		pick("1 1 2 4 8"), pick("peer peer host"), iterations(rows, rows))
}
function jacobi() {
	grid(400, 16000)
	return sprintf("jacobi 2 size=%dx%d precision=%s border=%d transport=%s iterations=%d", rows, columns, pick("f32 f64"),
		pick("1 1 2 4 8"), pick("peer peer host"), iterations(rows, columns)) (draw() < 1 / 3 ? " partition=1x2" : "")
}
function some(rows, row) {
	while ((getline row) > 0)
		if (row !~ /^#/)
			kept[rows++] = row
	for (k = 0; k < rows; k++)
		if (draw() * (rows - k) < count && count--)
			print kept[k]
}
BEGIN {
	begin()
	if (what == "some")
		some(0)
	for (k = 0; what != "some" && k < count; k++)
		print what ~ /ways|nccl/ ? way() : what == "lmsor" ? lmsor() : jacobi()
}'
