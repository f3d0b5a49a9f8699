#!/bin/sh
# SPDX-License-Identifier: MIT
# NCCL on virtual GPUs, held against NCCL (docs/as-gpus.md):
#
#     sh tests/nccl_gate.sh virtual OUT [FOLDER]   on one GPU: records as 2 GPUs; no NCCL is needed
#     sh tests/nccl_gate.sh true OUT [FOLDER]      on two GPUs with NCCL: records, and ten untraced runs each
#     sh tests/nccl_gate.sh compare OUT            anywhere, both OUTs in one folder: operations, times
#
# FOLDER has libnccl.so.2 (true: NCCL's; virtual: by default the stand-in of the tests, of which nothing is called). Wants
# build/warpreel, the libraries of `make gpu` and nvcc. `virtual` takes about a minute.
set -eu
what=${1:?virtual, true or compare} out=${2:?output folder}
root=$(cd "$(dirname "$0")/.." && pwd)
w=${WARPREEL:-$root/build/warpreel} nccl=${3:-$2/nccl}
mkdir -p "$out"

# name, how ranks run, GPUs, elements, iterations
programs() {
	cat <<-END
	group_small group 2 4096 200
	group_large group 2 16777216 50
	threads_small threads 2 4096 200
	threads_large threads 2 16777216 50
	END
}
build() {
	if [ ! -e "$nccl/libnccl.so.2" ]; then # alone: beside it stand libraries in the place of CUDA's
		make -C "$root" build/tests/standin/libnccl.so.2
		mkdir -p "$nccl"
		cp "$root/build/tests/standin/libnccl.so.2" "$nccl/"
	fi
	nccl=$(cd "$nccl" && pwd)
	nvcc -arch="${CUDA_ARCH:-sm_90}" -O2 -I"$root" -cudart shared -o "$out/nccl_ring" "$root/tests/nccl_ring.cu" \
		-Xlinker "$nccl/libnccl.so.2" -Xlinker -rpath="$nccl" -lpthread
}
case $what in
virtual)
	build
	programs | while read -r name arguments; do
		# shellcheck disable=SC2086 # several words
		timeout 120 "$w" record --as-gpus 2 -o "$out/$name.virtual.wrt.zst" -- "$out/nccl_ring" $arguments >"$out/$name.virtual.txt" 2>&1 ||
			echo "$name: exit $?"
		echo "$name: $(tail -n 1 "$out/$name.virtual.txt"); $("$w" check "$out/$name.virtual.wrt.zst" | tail -n 1)"
	done
	# All counts, types and ranks are the unit tests'; here it is whether the GPU agrees.
	for gpus in 3 4 8; do
		timeout 120 "$w" record --as-gpus $gpus -o "$out/as$gpus.wrt.zst" -- "$out/nccl_ring" group $gpus 40960 5 >"$out/as$gpus.txt" 2>&1 || true
		echo "as $gpus: $(tail -n 1 "$out/as$gpus.txt")"
	done
	;;
true)
	build
	programs | while read -r name arguments; do
		: >"$out/$name.untraced.txt"
		for run in 1 2 3 4 5 6 7 8 9 10; do
			# shellcheck disable=SC2086
			"$out/nccl_ring" $arguments >>"$out/$name.untraced.txt" || echo "$name: run $run failed"
		done
		# shellcheck disable=SC2086
		"$w" record -o "$out/$name.true.wrt.zst" -- "$out/nccl_ring" $arguments >"$out/$name.true.txt" 2>&1 || echo "$name: exit $?"
	done
	;;
compare)
	programs | while read -r name arguments; do
		echo "== $name $arguments"
		"$w" compare --operations "$out/$name.virtual.wrt.zst" "$out/$name.true.wrt.zst" 2>/dev/null | tail -n 12
		"$w" replay "$out/$name.virtual.wrt.zst" 2>/dev/null | grep -E 'core loop|NCCL'
		awk '$1 == "core_us" { print $2 }' "$out/$name.untraced.txt" | sort -n | awk '{ v[NR] = $1 } END { print "untraced median us", v[int((NR + 1) / 2)], "from", v[1], "to", v[NR] }'
	done
	;;
*)
	echo "nccl_gate.sh: virtual, true or compare" >&2
	exit 2
	;;
esac
