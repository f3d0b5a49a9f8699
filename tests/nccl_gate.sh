#!/bin/sh
# SPDX-License-Identifier: MIT
# NCCL on virtual GPUs, held against NCCL (docs/as-gpus.md):
#
#     sh tests/nccl_gate.sh virtual OUT [FOLDER]   on one GPU: records as 2 GPUs; no NCCL is needed
#     sh tests/nccl_gate.sh types OUT [FOLDER]     on one GPU: all operations, types, reductions, in one process and several
#     sh tests/nccl_gate.sh true OUT [FOLDER]      on two GPUs with NCCL: records, and ten untraced runs each
#     sh tests/nccl_gate.sh compare OUT            anywhere, both OUTs in one folder: operations, times
#
# FOLDER has libnccl.so.2 (true: NCCL's; virtual: by default the stand-in of the tests, of which nothing is called). Wants
# build/warpreel, the libraries of `make gpu`, the stand-in and nvcc; programs that OUT has are not built again. `virtual` takes
# about a minute, `types` half of one.
set -eu
what=${1:?virtual, types, true or compare} out=${2:?output folder}
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
	processes_small processes 2 4096 200
	processes_large processes 2 16777216 50
	END
}
# Of several processes there is a folder.
trace_of() {
	case $1 in
	processes*) echo "$out/$1.$2/" ;;
	*) echo "$out/$1.$2.wrt.zst" ;;
	esac
}
find_nccl() {
	if [ ! -e "$nccl/libnccl.so.2" ]; then # alone: beside it stand libraries in the place of CUDA's
		make -C "$root" build/tests/standin/libnccl.so.2
		mkdir -p "$nccl"
		cp "$root/build/tests/standin/libnccl.so.2" "$nccl/"
	fi
	nccl=$(cd "$nccl" && pwd)
}
compile() { nvcc -arch="${CUDA_ARCH:-sm_90}" -O2 -I"$root" -cudart shared "$@"; }
build() {
	find_nccl
	[ -x "$out/nccl_ring" ] || compile -o "$out/nccl_ring" "$root/tests/nccl_ring.cu" \
		-Xlinker "$nccl/libnccl.so.2" -Xlinker -rpath="$nccl" -lpthread
}
# A test of what is preloaded, in front of the real driver.
build_test() {
	[ -x "$out/$1_on_gpu" ] && return
	compile -c -o "$out/nccl_streams.o" "$root/tests/nccl_streams.cu"
	cc -std=gnu11 -D_GNU_SOURCE -O2 -I"$root" -I"$(dirname "$(command -v nvcc)")/../include" -DcudaMalloc=standin_malloc \
		-DVIRTUAL_LIBRARY='""' -DRECORDER_LIBRARY='""' -c -o "$out/$1.o" "$root/tests/preload_$1.c"
	compile -o "$out/$1_on_gpu" "$out/$1.o" "$out/nccl_streams.o" \
		-Xlinker "$nccl/libnccl.so.2" -Xlinker -rpath="$nccl" -lcmocka -lpthread -lm
}
case $what in
virtual)
	build
	programs | while read -r name arguments; do
		# shellcheck disable=SC2086 # several words
		timeout 120 "$w" record --as-gpus 2 -o "$(trace_of "$name" virtual)" -- "$out/nccl_ring" $arguments >"$out/$name.virtual.txt" 2>&1 ||
			echo "$name: exit $?"
		echo "$name: $(tail -n 1 "$out/$name.virtual.txt"); $("$w" check "$(trace_of "$name" virtual)" | tail -n 1)"
	done
	for gpus in 3 4 8; do
		timeout 120 "$w" record --as-gpus $gpus -o "$out/as$gpus.wrt.zst" -- "$out/nccl_ring" group $gpus 40960 5 >"$out/as$gpus.txt" 2>&1 || true
		echo "as $gpus: $(tail -n 1 "$out/as$gpus.txt")"
	done
	;;
types)
	find_nccl
	for test in nccl ranks ranks_ends; do
		build_test $test
		LD_PRELOAD=${WARPREEL_VIRTUAL:-$(dirname "$w")/libwarpreel-virtual.so} WARPREEL_AS_GPUS=8 WARPREEL_STUCK_S=5 NCCL_WORLD_THIN=1 \
			timeout 120 "$out/${test}_on_gpu" >"$out/$test.txt" 2>&1 || echo "$test: exit $?"
		echo "$test: $(tail -n 1 "$out/$test.txt")"
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
		"$w" record -o "$(trace_of "$name" true)" -- "$out/nccl_ring" $arguments >"$out/$name.true.txt" 2>&1 || echo "$name: exit $?"
	done
	;;
compare)
	programs | while read -r name arguments; do
		echo "== $name $arguments"
		"$w" compare --operations "$(trace_of "$name" virtual)" "$(trace_of "$name" true)" 2>/dev/null | tail -n 12
		"$w" replay "$(trace_of "$name" virtual)" 2>/dev/null | grep -E 'core loop|NCCL'
		awk '$1 == "core_us" { print $2 }' "$out/$name.untraced.txt" | sort -n | awk '{ v[NR] = $1 } END { print "untraced median us", v[int((NR + 1) / 2)], "from", v[1], "to", v[NR] }'
	done
	;;
*)
	echo "nccl_gate.sh: virtual, types, true or compare" >&2
	exit 2
	;;
esac
