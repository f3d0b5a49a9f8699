#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws programs of several GPUs that are to be recorded on one, for virtual_rows.sh, named before they are measured (docs/lab/splits.md):
#
#     sh traces/data/draw_virtual.sh SEED [GPUS]
#
# NVIDIA's Jacobi in three ways, NCCL's ring in three, two programs of CUDA alone and three of PyTorch; sizes are log-uniform. {P} is
# where programs are, {D} this repository's traces/data/programs. Ranges are counted of one thread or process. The same seed gives the same list everywhere.
set -eu
seed=${1:?SEED} gpus=${2:-2}
awk -v seed="$seed" -v gpus="$gpus" "$(cat "$(dirname "$0")/draw.awk")"'
function row(name, how, span, pattern, device, count, processes, command) {
	printf "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, gpus, how, span, pattern, device, count, processes, command
}
function even(least, most, of) { return int(side(least, most) / of + 0.5) * of }
# Enough steps for some 20 ms, at most 500.
function steps(points,    k) { k = int(2e10 / points / gpus + 0.5); return k > 500 ? 500 : k < 40 ? 40 : k }
function nvidia(way, device, processes, before,    n, k) {
	n = even(1100, 14000, 2)
	k = steps(n * n / 4)
	row(way "_" n, "nvidia", "kernels", "jacobi", device, k, processes, before "{P}/" (processes == "-" ? way : "nccl_jacobi") " -nx " n " -ny " n " -niter " k " -nccheck 50 -csv")
}
function ring(way,    n, k) {
	n = even(5000, 8000000, 8)
	k = steps(n * 40)
	row("nccl_ring_" way "_" n, "core", "range", "core", "-", 3, way == "processes" ? "yes" : "-", "{P}/nccl_ring " way " " gpus " " n " " k " 3")
}
BEGIN {
	begin()
	print "name\tgpus\thow\tspan\tpattern\tdevice\tcount\tprocesses\tcommand"
	for (i = 0; i < 2; i++) nvidia("single_threaded_copy", 1, "-", "")
	for (i = 0; i < 2; i++) nvidia("multi_threaded_copy", 1, "-", "")
	for (i = 0; i < 2; i++) nvidia("nccl", "*", "yes", "sh {D}/ranks.sh " gpus " ")
	ring("group"); ring("threads"); ring("processes")
	for (i = 0; i < 2; i++) {
		n = even(90, 420, 2)
		k = steps(n * n * n / 4)
		row("halo3d_" n, "core", "range", "core", "-", 3, "-", "{P}/halo3d " n " " k " 3")
	}
	for (i = 0; i < 2; i++) {
		n = even(1000, 20000, 2)
		k = steps(n * n)
		row("power_threads_" n, "core", "range", "core", "-", 3, "-", "{P}/power_threads " n " " k " 3")
	}
	n = even(1500, 16000, 4); row("columns_torch_" n, "segment", "range", "segment", "-", 12, "-", "python3 {D}/columns_torch.py " n)
	n = even(700, 9000, 4); row("halo_torch_" n, "segment", "range", "segment", "-", 12, "-", "python3 {D}/halo_torch.py " n)
	for (i = 0; i < 2; i++) {
		n = even(700, 16000, 4)
		way = i ? "layers" : "data"
		row("ranks_torch_" way "_" n, "segment", "range", "segment", "-", 12, "yes", "python3 -m torch.distributed.run --nnodes 1 --master-addr 127.0.0.1 --master-port 2965" i " --nproc-per-node " gpus " {D}/ranks_torch.py " way " " n)
	}
}'
