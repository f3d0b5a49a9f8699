# A part twice as fast never costs, nor does one half as fast pay, also where the warps of what is played would fall into a worse order (test_warps_laws).
us() {
	warpreel explain micro --platform h200x4 --no-bounds --format tsv "$@" | awk -F '\t' '$6 == "ideal" { print $8 }'
}
try() { # KEY FACTOR CONFIG...
	key=$1 factor=$2
	shift 2
	was=$(sed -n "s/^${key#sm.} = //p" "$root/model/platforms/h200x4.ini" | head -n 1)
	awk -v was="$(us "$@")" -v is="$(us "$@" --set "$key=$(awk -v was="$was" -v factor="$factor" 'BEGIN { print was * factor }')")" -v what="$key times $factor: $*" \
		'BEGIN { print what ": " (is > was ? "longer" : is < was ? "shorter" : "as long") }'
}
try sm.l1_miss_bytes 2 --kernel transpose_shared --size 4096 --block 256
try sm.l1_miss_bytes 0.5 --kernel transpose_shared --size 4096 --block 256
try sm.dram_latency_ns 0.5 --kernel copy4 --size 33554432 --block 256
try sm.dram_latency_ns 2 --kernel copy4 --size 33554432 --block 256
try sm.block_start_cycles 0.5 --kernel divergent --size 33554432 --block 512
# The same in a copy of the platform's file.
sed 's/^l1_miss_bytes = .*/l1_miss_bytes = 125284.2/' "$root/model/platforms/h200x4.ini" > copy.ini
warpreel explain micro --platform copy.ini --no-bounds --format tsv --kernel transpose_shared --size 4096 --block 256 | awk -F '\t' '$6 == "ideal" { print $8 }' > there
us --kernel transpose_shared --size 4096 --block 256 | cmp - there && echo "in a file of its own: as long"
# More multiprocessors never cost either, nor do fewer pay.
solver_us() {
	warpreel explain rbsor --platform h200x4 --no-bounds --format tsv "$@" | awk -F '\t' '$6 == "ideal" { print $8 }'
}
for size in 1024 2048 4096; do
	was=$(solver_us --size $size)
	for count in 100 131 136 148 160; do
		awk -v was="$was" -v is="$(solver_us --size $size --set device.sm_count=$count)" -v more=$((count > 132)) -v what="$size on $count" \
			'BEGIN { print what ": " ((more ? is <= was : is >= was) ? "no " (more ? "longer" : "shorter") : was " became " is) }'
	done
done
