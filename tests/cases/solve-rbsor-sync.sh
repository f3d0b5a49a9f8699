# However threads wait, in whatever order neighbours are served and wherever borders go, the bits are those of one GPU.
checksum() { warpreel solve rbsor --size 61x50 --iterations 25 --border 2 "$@" | grep -o 'checksum [0-9a-f]*'; }
one=$(checksum)
for how in '--sync spin' '--sync condition' '--sync one-thread' '--sync graph' '--order free' '--sync one-thread --order free'; do
	# shellcheck disable=SC2086 # several words
	[ "$(checksum --gpus 4 $how)" = "$one" ] && [ "$(checksum --gpus 4 --partition 2x2 --kernel fused $how)" = "$one" ] && echo "peer $how: the same"
done
for how in '--sync nccl' '--sync nccl-put'; do
	# shellcheck disable=SC2086
	[ "$(checksum --gpus 4 $how)" = "$one" ] && [ "$(checksum --gpus 6 --partition 3x2 --kernel fused $how)" = "$one" ] && echo "peer $how: the same"
done
for how in '--sync spin' '--sync one-thread' '--staging pageable' '--order free' '--order boss-worker' '--order boss-worker --staging pageable --sync spin'; do
	# shellcheck disable=SC2086
	[ "$(checksum --gpus 4 --transport host $how)" = "$one" ] && echo "host $how: the same"
done
# Kernels of the thesis' own, and one that stores borders itself.
for kernel in texture store 'paper --indices strips' 'paper --indices branch' 'paper --indices blocks'; do
	# shellcheck disable=SC2086
	[ "$(warpreel solve rbsor --size 61x50 --iterations 25 --gpus 4 --kernel $kernel | grep -o 'checksum [0-9a-f]*')" = "$one" ] && echo "kernel $kernel: the same"
done
# Workers are threads, and messages are operations of NCCL; texture and store have profiles.
warpreel predict rbsor --size 512 --gpus 4 --transport host --order boss-worker --kernel-model roofline -o workers.wrt >/dev/null &&
	warpreel info workers.wrt | grep ThreadNames
warpreel predict rbsor --size 512 --gpus 4 --sync nccl --kernel-model roofline | grep 'operations of NCCL'
for kernel in texture store; do
	warpreel predict rbsor --platform h200x4 --size 512 --gpus 2 --kernel $kernel >answer && grep -c 'core loop  .* us .* to [0-9.]*$' answer
done
# Of one thread nobody waits for another: neither posts nor awaits are planned; a graph's operations are paid for by its launches.
for sync in usual one-thread graph; do
	warpreel predict rbsor --size 512 --gpus 4 --sync $sync --iterations 41 --kernel-model roofline -o $sync.wrt >/dev/null &&
		warpreel info $sync.wrt | grep -c 'await'
done
refuses warpreel solve rbsor --size 64 --gpus 2 --transport host --sync graph
refuses warpreel solve rbsor --size 64 --kernel persistent --sync graph
refuses warpreel solve rbsor --size 64 --gpus 2 --timing thesis --sync one-thread
refuses warpreel solve rbsor --size 64 --gpus 2 --transport host --sync nccl
refuses warpreel solve rbsor --size 64 --gpus 2 --sync nccl --timing thesis
refuses warpreel solve rbsor --size 64 --gpus 4 --order boss-worker
refuses warpreel solve rbsor --size 64 --gpus 4 --order boss-worker --transport host --timing thesis
