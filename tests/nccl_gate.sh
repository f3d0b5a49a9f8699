#!/bin/sh
# SPDX-License-Identifier: MIT
# NCCL on virtual GPUs, held against NCCL (docs/as-gpus.md):
#
#     sh tests/nccl_gate.sh virtual OUT [FOLDER]   on one GPU: records as 2 GPUs; no NCCL is needed
#     sh tests/nccl_gate.sh types OUT [FOLDER]     on one GPU: all operations, types, reductions, in one process and several
#     sh tests/nccl_gate.sh true OUT [FOLDER]      on two GPUs with NCCL: records, and twelve untraced times of three processes each
#     sh tests/nccl_gate.sh compare OUT            anywhere, both OUTs in one folder: operations, times; a verdict a program
#
# FOLDER has libnccl.so.2 (true: NCCL's, by default what tests/nccl_folder.sh finds; else the stand-in of the tests, of which nothing
# is called). Wants build/warpreel, the libraries of `make gpu`, the stand-in and nvcc; programs that OUT has are not built again.
# `virtual` takes about a minute, `types` half of one, `true` about two. None starts another program once GATE_SECONDS (180) are over:
# what is left out is named, and the gate ends with 1. So it does where a program fails, or compare finds another order of operations.
set -eu
what=${1:?virtual, types, true or compare} out=${2:?output folder}
root=$(cd "$(dirname "$0")/.." && pwd)
w=${WARPREEL:-$root/build/warpreel} nccl=${3:-$2/nccl} folder=${3:-}
mkdir -p "$out"
until=$(($(date +%s) + ${GATE_SECONDS:-180}))
rm -f "$out/failed"
fail() { # TEXT; loops in pipes are processes of their own
	echo "$1"
	echo "$1" >>"$out/failed"
}
late() { # NAME: whether it is too late to start it
	[ "$(date +%s)" -ge "$until" ] && fail "$1: left out, since the time is over"
}

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
	if [ "$what" = true ]; then # the stand-in would pass for NCCL
		nccl=${folder:-$(sh "$root/tests/nccl_folder.sh")}
		[ -e "$nccl/libnccl.so.2" ] || { echo "nccl_gate.sh: true: no libnccl.so.2 in '$nccl'" >&2; exit 1; }
	elif [ ! -e "$nccl/libnccl.so.2" ]; then # alone: beside it stand libraries in the place of CUDA's
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
median_of() { # NAME
	awk '$1 == "core_us" { print $2 }' "$out/$1.untraced.txt" | sort -n |
		awk '{ v[NR] = $1 } END { if (NR) print "untraced median of", NR, v[int((NR + 1) / 2)], "us, from", v[1], "to", v[NR]; else print "no times" }'
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
		late "$name" && continue
		# shellcheck disable=SC2086 # several words
		timeout 30 "$w" record --as-gpus 2 -o "$(trace_of "$name" virtual)" -- "$out/nccl_ring" $arguments >"$out/$name.virtual.txt" 2>&1 ||
			fail "$name: exit $?"
		echo "$name: $(tail -n 1 "$out/$name.virtual.txt"); $("$w" check "$(trace_of "$name" virtual)" | tail -n 1)"
	done
	for gpus in 3 4 8; do
		late "as $gpus" && continue
		timeout 30 "$w" record --as-gpus $gpus -o "$out/as$gpus.wrt.zst" -- "$out/nccl_ring" group $gpus 40960 5 >"$out/as$gpus.txt" 2>&1 ||
			fail "as $gpus: exit $?"
		echo "as $gpus: $(tail -n 1 "$out/as$gpus.txt")"
	done
	;;
types)
	find_nccl
	for test in nccl ranks ranks_ends; do
		build_test $test
		late $test && continue
		LD_PRELOAD=${WARPREEL_VIRTUAL:-$(dirname "$w")/libwarpreel-virtual.so} WARPREEL_AS_GPUS=8 WARPREEL_STUCK_S=5 NCCL_WORLD_THIN=1 \
			timeout 60 "$out/${test}_on_gpu" >"$out/$test.txt" 2>&1 || fail "$test: exit $?"
		echo "$test: $(tail -n 1 "$out/$test.txt")"
	done
	;;
true)
	gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || true
	[ "$gpus" -ge 2 ] || { echo "nccl_gate.sh: true: two GPUs are wanted, and ${gpus:-none} is here" >&2; exit 1; }
	build
	export LD_LIBRARY_PATH="$nccl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" # a program that was brought along was built elsewhere
	programs | while read -r name arguments; do
		late "$name" && continue
		: >"$out/$name.untraced.txt"
		for run in 1 2 3; do # processes differ more than the times of one
			# shellcheck disable=SC2086
			timeout 20 "$out/nccl_ring" $arguments 4 >>"$out/$name.untraced.txt" 2>&1 || fail "$name: run $run: exit $?"
		done
		# shellcheck disable=SC2086
		timeout 30 "$w" record -o "$(trace_of "$name" true)" -- "$out/nccl_ring" $arguments >"$out/$name.true.txt" 2>&1 || fail "$name: recorded: exit $?"
		echo "$name: $(grep -c '^right' "$out/$name.untraced.txt") of 3 right, $(median_of "$name")"
	done
	;;
compare)
	printf '%-16s %s%s\n' program 'operations of the virtual recording (A) and the true one (B)' ''
	programs | while read -r name arguments; do
		if [ ! -e "$(trace_of "$name" virtual)" ] || [ ! -e "$(trace_of "$name" true)" ]; then
			fail "$name: not recorded on both sides"
			continue
		fi
		"$w" compare --operations "$(trace_of "$name" virtual)" "$(trace_of "$name" true)" >"$out/$name.operations.txt" 2>/dev/null || true
		operations=$(tail -n 1 "$out/$name.operations.txt")
		"$w" replay "$(trace_of "$name" virtual)" --range 'core#0' >"$out/$name.replay.txt" 2>/dev/null || fail "$name: replay: exit $?"
		printf '%-16s %s\n%-16s %s; %s\n' "$name" "$operations" '' \
			"$(sed -n 's/^ *core loop  *\([0-9.]* us\).*/replayed \1/p' "$out/$name.replay.txt")" "$(median_of "$name")"
		case $operations in
		*'in the same order on each thread' | 'every operation of A is in B'*) ;;
		*) fail "$name: other operations, or in another order" ;;
		esac
	done
	;;
*)
	echo "nccl_gate.sh: virtual, types, true or compare" >&2
	exit 2
	;;
esac
if [ -e "$out/failed" ]; then
	echo "gate $what: $(wc -l <"$out/failed") failed"
	exit 1
fi
echo "gate $what: passed"
