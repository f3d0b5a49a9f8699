# However threads wait, in whatever order neighbours are served and wherever borders go, the bits are those of one GPU.
checksum() { warpreel solve rbsor --size 61x50 --iterations 25 --border 2 "$@" | grep -o 'checksum [0-9a-f]*'; }
one=$(checksum)
for how in '--sync spin' '--sync condition' '--sync one-thread' '--sync graph' '--order free' '--sync one-thread --order free'; do
	# shellcheck disable=SC2086 # several words
	[ "$(checksum --gpus 4 $how)" = "$one" ] && [ "$(checksum --gpus 4 --partition 2x2 --kernel fused $how)" = "$one" ] && echo "peer $how: the same"
done
for how in '--sync spin' '--sync one-thread' '--staging pageable' '--order free'; do
	# shellcheck disable=SC2086
	[ "$(checksum --gpus 4 --transport host $how)" = "$one" ] && echo "host $how: the same"
done
# Of one thread nobody waits for another: neither posts nor awaits are planned; a graph's operations are paid for by its launches.
for sync in usual one-thread graph; do
	warpreel predict rbsor --size 512 --gpus 4 --sync $sync --iterations 41 --kernel-model roofline -o $sync.wrt >/dev/null &&
		warpreel info $sync.wrt | grep -c 'await'
done
refuses warpreel solve rbsor --size 64 --gpus 2 --transport host --sync graph
refuses warpreel solve rbsor --size 64 --kernel persistent --sync graph
refuses warpreel solve rbsor --size 64 --gpus 2 --timing thesis --sync one-thread
