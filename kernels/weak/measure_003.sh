#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures on a GPU what of paper 003 is answered and not measured, and what costs are fitted to. Its folder is what append_003.sh takes; a line a
# step in steps.tsv. About 60 s of an H200.
#   sh kernels/weak/measure_003.sh FOLDER [STEP...] [-- option of warpreel batch...]     (WARPREEL: the program; TESTS: its tests; LISTS: the lists)
# Steps: blindN (lists/weak_blindN.list, 20 runs) and agesN, floor (what steps ask of shared memory), speed and async (21 runs, beside the
# floor), crowd (phases of blocks, and the table of them), drift (why places drift apart), fig14 (clocks and runs by
# threads that exchange), two (needs two GPUs), several (needs four). Without any: all but drift, fig14, two and several.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
warpreel=$(realpath "${WARPREEL:-$root/build/warpreel}")
tests=$(realpath "${TESTS:-$root/build/tests}")
lists=$(realpath "${LISTS:-$root/traces/data/lists}")
to=$1
shift
steps=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	steps="$steps $1"
	shift
done
[ $# = 0 ] || shift # what is left are options
mkdir -p "$to"
cd "$to"
[ -f steps.tsv ] || printf 'step\trc\tseconds\n' >steps.tsv

batch() { # LIST REPEAT [option...]
	list=$1 repeat=$2
	shift 2
	timeout "${SECONDS_A_STEP:-60}" "$warpreel" batch "$lists/weak_$list.list" --repeat "$repeat" -o "$list.tsv" --runs "${list}_runs.tsv" "$@"
}

step() { # STEP [option...]
	step=$1
	shift
	case $step in
	blind*) batch "$step" 20 --gpus 1 "$@" ;;
	floor) timeout 20 "$tests/gpu_shared_floor" >shared_floor.tsv && timeout 20 "$tests/gpu_floor" >launch_floor.tsv ;;
	speed | async) batch "$step" 21 --gpus 1 "$@" ;;
	ages*) mkdir -p "$step" && batch "$step" 1 --gpus 1 --warm-up-ms -1 "$@" ;;
	drift) mkdir -p drift && batch drift 1 --gpus 1 --warm-up-ms -1 "$@" ;;
	crowd)
		mkdir -p phases && batch crowd 1 --gpus 1 --warm-up-ms -1 "$@" || return $?
		mhz=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "sm_mhz") at = i } NR == 2 && at { print int($at) }' crowd.tsv)
		sh "$here/crowd_phases.sh" phases "${mhz:-1980}" >papers_003_crowd.tsv
		;;
	two) batch two 10 --gpus 2 "$@" ;;
	several) batch several 11 --gpus 4 "$@" ;;
	fig14) mkdir -p fig14 && batch fig14 1 --gpus 1 --warm-up-ms -1 "$@" && batch fig14_runs 11 --gpus 1 "$@" ;;
	*) echo "measure_003: no step $step" && return 2 ;;
	esac
}

worst=0
for name in ${steps:-blind4 floor speed async ages4 crowd}; do
	begin=$(date +%s) rc=0
	step "$name" "$@" >"$name.txt" 2>&1 || rc=$?
	printf '%s\t%s\t%s\n' "$name" "$rc" "$(($(date +%s) - begin))" | tee -a steps.tsv
	[ "$rc" = 0 ] || worst=1
done
exit $worst
