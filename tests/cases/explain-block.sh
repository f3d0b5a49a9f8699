# Blocks and loops that were not profiled: from others where their counts follow, else refused, else in doubt.
asked() {
	warpreel explain micro --platform h200x4 "$@" | sed -n '1p;/^  counts/p'
}
asked --kernel reduce --size 4194304 --block 1024
asked --kernel stencil --size 2048 --block 1024
asked --kernel hash --size 1048576 --work 100
asked --kernel copy4 --size 1048576 --block 512
refuses warpreel explain micro --platform h200x4 --kernel transpose --size 1024 --block 1024
refuses warpreel explain micro --platform h200x4 --kernel strided --size 1048576 --work 16
asked --kernel strided --size 1048576 --work 16 --allow-extrapolation
asked --kernel transpose --size 1024 --block 1024 --allow-extrapolation
warpreel predict rbsor --platform h200x4 --kernel-model warps --size 1500x1500 --format tsv | columns config,extrapolated
