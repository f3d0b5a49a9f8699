# Every kind of cost that --set can change changes the answer, in the direction it must, also where a finer measurement would hide it.
# Kernels of the largest grid last as long as they were recorded: what changes is links.
core() {
	warpreel predict rbsor --platform h200x4 --format tsv "$@" | awk -F '\t' 'NR == 2 { print $4 }'
}
try() { # KEY=VALUE CONFIG...
	set_to=$1
	shift
	awk -v was="$(core "$@")" -v is="$(core "$@" --set "$set_to")" -v what="$set_to" \
		'BEGIN { print what ": " (is < was ? "faster" : is > was ? "slower" : "no change") }'
}
try host.launch_ns=1000 --size 1024
try host.launch_ns=9000 --size 1024
try host.record_ns=20000 --size 1024 --gpus 2
try host.wait_ns=20000 --size 1024 --gpus 2
try host.copy_peer_ns=40000 --size 1024 --gpus 2
try host.sync_wake_ns=0 --size 1024 --gpus 2 --transport host
try host.wake_block_ns=0 --size 1024 --gpus 2 --transport host
try host.copy_h2d_ns=0 --size 1024 --gpus 2 --transport host
try host.copy_d2h_ns=20000 --size 1024 --gpus 2 --transport host
try copy.h2d.ns=1000 --size 1024 --gpus 2 --transport host
try copy.d2h.ns=1000 --size 1024 --gpus 2 --transport host
try copy.peer.ns=1000 --size 8192 --gpus 4
try stream.event_peer_ns=0 --size 8192 --gpus 4
try stream.start_latency_ns=20000 --size 512 --gpus 2 --transport host
try nvlink.bytes_per_s=inf --size 16384 --gpus 4 --border 16 --kernel-model scaled
try nvlink.bytes_per_s=30e9 --size 16384 --gpus 4 --border 16 --kernel-model scaled
try share.d2h.bytes_per_s=inf --size 16384 --gpus 4 --border 16 --kernel-model scaled --transport host
try share.h2d.bytes_per_s=1e9 --size 16384 --gpus 4 --border 16 --kernel-model scaled --transport host
