#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws runs on several GPUs, two unless it is said, to be named and answered before they are measured (docs/lab/splits.md):
#
#     sh traces/data/draw_gpus.sh SEED ways|nccl|lmsor|jacobi|mlssor|forms|wavefront|patches|short|weak COUNT [1|2|4|8]
#     sh traces/data/draw_gpus.sh SEED some COUNT < LIST    # of a list, in its order: those to be recorded as well
#
# ways: red-black SOR by all its ways to share a grid, to wait and to exchange borders; nccl: borders as messages of
# NCCL's, apart since a machine may have none; mlssor: multi-layer SSOR, and red-black SOR as its paper has it;
# forms: the paper's own kernels of it, in all their forms, with the blocks and subdomains of its search;
# wavefront: its kernel of 16x16 with tiles at the edges apart; patches: block relaxation; short: runs of it of a few steps of small patches, on one GPU, too; weak: paper 003's scheme base. Each option is drawn from what those before it leave, and a row that the
# solver would refuse all the same is drawn again. Sides are log-uniform; every third grid is a rectangle. The same
# seed gives the same list everywhere.
set -eu
seed=${1:?SEED} what=${2:?ways, nccl, lmsor, jacobi, mlssor, forms, wavefront, patches, short, weak or some} count=${3:?COUNT} gpus=${4:-2}
case $what in
ways | nccl | lmsor | jacobi | mlssor | forms | wavefront | patches | short | weak | some) ;;
*) echo "draw_gpus.sh: ways, nccl, lmsor, jacobi, mlssor, forms, wavefront, patches, short, weak or some, not '$what'" >&2; exit 2 ;;
esac
case $gpus in
1) blocks=1x1 ;;
2) blocks=1x2 ;;
4) blocks=2x2 ;;
8) blocks=2x4 ;;
*) echo "draw_gpus.sh: 1, 2, 4 or 8 GPUs, not '$gpus'" >&2; exit 2 ;;
esac
awk -v seed="$seed" -v what="$what" -v count="$count" -v gpus="$gpus" -v blocks="$blocks" "$(cat "$(dirname "$0")/draw.awk")"'
function iterations(rows, columns) { return rows * columns < 1500 * 1500 ? 200 : rows * columns < 5000 * 5000 ? 100 : 40 }
function grid(least, most) {
	rows = side(least, most)
	columns = draw() < 1 / 3 ? side(least, most) : rows
}
# What rbsor refuses (kernels/rbsor/rbsor_params.c), and halos that are a good part of a part of the grid.
function refused() {
	return (kernel ~ /tuned|store/ && partition == blocks) || (kernel ~ /fused|temporal|store/ && scheme == "thesis") ||
		(kernel == "store" && (border > 1 || transport == "host" || sync ~ /graph|nccl/ || timing == "thesis")) ||
		(kernel == "texture" && sync == "graph") || (indices ~ /strips|branch/ && partition == blocks) ||
		rows < 40 * gpus * border || columns < 40 * gpus * border
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
		partition = pick("strips strips " blocks)
	} while (refused())
	return sprintf("rbsor %d size=%dx%d precision=%s kernel=%s scheme=%s border=%d transport=%s iterations=%d", gpus, rows, columns,
		precision, kernel, scheme, border, transport, iterations(rows, columns)) \
		(kernel == "temporal" ? " depth=" depth : "") (indices == "any" ? "" : " indices=" indices) \
		(partition == "strips" || gpus == 1 ? "" : " partition=" partition) (sync == "usual" ? "" : " sync=" sync) \
		(order == "chessboard" ? "" : " order=" order) (staging == "pinned" ? "" : " staging=" staging) \
		(timing == "plain" ? "" : " timing=" timing)
}
function lmsor() {
	rows = side(300, 12000)
	return sprintf("lmsor %d size=%d problem=%d re=%s omega=as-run kernel=%s check=%s border=%d transport=%s tolerance=1e-06 max-iterations=20000 iterations=%d",
		gpus, rows, pick("1 2 3"), pick("1 10 100"), pick("1 2 3 tuned1 tuned2 tuned3 tuned4 tuned4"), pick("every 10 device device"),
		pick("1 1 2 4 8"), pick("peer peer host"), iterations(rows, rows))
}
function jacobi() {
	grid(400, 16000)
	return sprintf("jacobi %d size=%dx%d precision=%s border=%d transport=%s iterations=%d", gpus, rows, columns, pick("f32 f64"),
		pick("1 1 2 4 8"), pick("peer peer host"), iterations(rows, columns)) (draw() < 1 / 3 && gpus > 1 ? " partition=" blocks : "")
}
# A side of whole parts, with the boundary.
function mesh(least, most, part) { return part * int(side(least, most) / part) + 2 }
function mlssor() {
	rows = mesh(512 * gpus, 16384, 16 * gpus)
	columns = mesh(1024, 12288, 16)
	kernel = pick("staged staged tuned chunked rows redblack")
	points = kernel == "redblack" ? pick("1x1 1x1 1x2 2x2") : ""
	layers = kernel == "chunked" ? 8 : pick(kernel == "rows" ? "4 8" : "2 4 8")
	sweeps = pick("forward alternating alternating")
	threads = pick(kernel == "redblack" ? "64 128 256" : "32 64 128")
	transport = pick("peer peer host")
	return sprintf("mlssor %d size=%dx%d", gpus, rows, columns) \
		(points != "" ? "" : sprintf(" subdomain=%dx%d layers=%d sweeps=%s planes=centred", 2 * layers, 2 * layers, layers, sweeps)) \
		" kernel=" kernel (kernel == "rows" ? " form=unrolled" : "") (points == "" ? "" : " points=" points) sprintf(" threads=%d transport=%s input=1 omega=1.25 iterations=96", threads, transport)
}
# Whole tiles of 32 x 32 fit shared memory for 32 threads.
function forms(   part) {
	kernel = pick("full rows")
	form = pick("plain coalesced unrolled both")
	part = pick(kernel == "rows" ? "4 8 8 16 32" : form ~ /unrolled|both/ ? "4 8" : "4 8 8 16 32")
	threads = pick(kernel == "full" && part == 32 ? "8 16 32" : "8 16 32 64 128")
	rows = mesh(512 * gpus, 8192, 32)
	columns = mesh(1024, 8192, 32)
	return sprintf("mlssor %d size=%dx%d subdomain=%dx%d layers=%d sweeps=%s planes=centred kernel=%s form=%s", gpus, rows, columns, part, part,
		part / 2, pick("forward alternating alternating"), kernel, form) (gpus == 1 && pick("4 4 3") == 3 ? " launches=3" : "") \
		sprintf(" threads=%d transport=%s input=1 omega=1.25 iterations=96", threads, pick("peer peer host"))
}
function wavefront() {
	rows = mesh(512 * gpus, 14000, 16 * gpus)
	columns = mesh(600, 14000, 16)
	return sprintf("mlssor %d size=%dx%d subdomain=16x16 layers=8 sweeps=%s%s kernel=wavefront", gpus, rows, columns,
		pick("forward alternating alternating backward"), pick("centred printed") == "centred" ? " planes=centred" : "") \
		(gpus == 1 && pick("3 4") == 3 ? " launches=3" : "") sprintf(" threads=%d transport=%s input=1 omega=1.25 iterations=96",
		pick("32 32 64 128"), pick("peer peer host"))
}
function sides() { return 8 * int(side(16, 104) / 8) }
function box() { return draw() < 2 / 3 ? sides() "" : sides() "." sides() "." sides() }
function patches() {
	set = int(side(gpus, 64)) "x" box()
	if (draw() < 1 / 3)
		set = set "+" int(side(1, 32)) "x" box()
	method = pick("jacobi jacobi chaotic")
	kernel = method == "chaotic" ? pick("gemv-a gemv-c sine") : pick("gemv-a gemv-c sine sine gemm")
	block = kernel == "gemm" ? "8.8.8" : pick("2.2.2 4.4.4 8.8.8 8.8.8")
	order = pick("whole whole depth breadth")
	return sprintf("patches %d patches=%s block=%s method=%s kernel=%s ghost=%s order=%s iterations=%s", gpus, set, block, method, kernel,
		pick("zero reflect"), order, pick("3 10 20")) (order == "whole" ? "" : " streams=" pick("2 4 8"))
}
function short() {
	kernel = pick("sine sine sine-steps gemv-c gemm")
	small = kernel == "sine-steps"
	order = small ? "whole" : pick("whole whole depth breadth")
	return sprintf("patches %d patches=%dx%d block=%s method=jacobi kernel=%s ghost=%s order=%s iterations=%s", gpus,
		int(side(gpus, 48)), 8 * int(side(8, small ? 23 : 48) / 8), kernel == "gemm" ? "8.8.8" : small ? pick("4.4.4 8.8.8 8.8.8") : pick("2.2.2 4.4.4 8.8.8 8.8.8"),
		kernel, small ? "zero" : pick("zero reflect"), order, small ? pick("3 20 100") : pick("1 3 5")) (order == "whole" ? "" : " streams=" pick("2 4 8"))
}
# Blocks of the size that is profiled; a step is as long whatever the picture is.
function weak(what, pixels) {
	what = pick("poisson shape")
	pixels = side(200, 4000)
	if (what == "poisson")
		what = sprintf("poisson %d size=%d%s guide=source", gpus, pixels, pick("0 4") + 0 ? " objects=4" : "")
	else
		what = sprintf("shape %d size=%d light=-0.4,-0.4,1 white=255 lambda=0.3 edge=occluding", gpus, pixels)
	return what sprintf(" scheme=base host-sync=1 exchange=4 threads=32 resident=0 inner=red-black stop=residual tolerance=1e-05 max-steps=1000000 steps=%d",
		pixels < 1500 ? 200 : 100)
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
		print what ~ /ways|nccl/ ? way() : what == "lmsor" ? lmsor() : what == "jacobi" ? jacobi() : what == "mlssor" ? mlssor() : what == "forms" ? forms() : what == "wavefront" ? wavefront() : what == "weak" ? weak() : what == "short" ? short() : patches()
}'
