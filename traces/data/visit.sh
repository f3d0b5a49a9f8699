#!/bin/sh
# SPDX-License-Identifier: MIT
# One visit to a GPU machine, in one go (docs/measuring.md says what for):
#
#     sh traces/data/visit.sh calibrate VISIT GPUS OUT    canary, platform file, replay traces, profile, canary under the recorder
#     sh traces/data/visit.sh measure VISIT GPUS OUT      canary, everything in measure.list, canary again
#     sh traces/data/visit.sh patches VISIT GPUS OUT      block relaxation: profiles, kernels alone, the runs that were predicted
#
# Wants build/warpreel and the libraries of `make gpu`. Writes into OUT; on a 4-GPU H200 machine the steps of `calibrate` took some
# 300 s (160 s of it the profile) and `measure` 150 to 200 s. Steps have time limits of their own: what is done when one runs out is kept.
set -eu
what=${1:?calibrate, measure or patches} visit=${2:?name of the visit} gpus=${3:?GPUs} out=${4:?output folder}
root=$(cd "$(dirname "$0")/../.." && pwd)
w=${WARPREEL:-$root/build/warpreel} lists=$root/traces/data/lists
mkdir -p "$out"

batch() { # LIST OUTPUT EXTRA...
	list=$1 table=$2
	shift 2
	timeout 420 "$w" batch "$lists/$list.list" --gpus "$gpus" --visit "$visit" "$@" >"$table" 2>>"$out/messages.txt" || true
}

case $what in
calibrate)
	batch canary "$out/canary.tsv"
	"$w" calibrate -o "$out/h200x$gpus.ini" --name "h200x$gpus" --gpus "$gpus" --budget 110
	parts=$(mktemp -d) list=
	for process in 1 2 3; do # calls differ from process to process
		"$w" calibrate -o "$parts/$process.ini" --only host,stream,copy,peer_exchange,poll --gpus "$gpus" --budget 14 2>>"$out/messages.txt"
		list=$list${list:+,}$parts/$process.ini
	done
	"$w" calibrate --merge "$list" --only peer_exchange,poll --update "$out/h200x$gpus.ini"
	tar -C "$parts" -czf "$out/parts.tgz" .
	for trace in replay blind lmsor_replay canary profile; do
		case $trace in
		canary) options="--no-verify" ;;
		*) options="--repeat 1 --warm-up-ms 0 --no-verify" ;;
		esac
		# shellcheck disable=SC2086 # several words
		timeout 300 "$w" record -o "$out/$trace.wrt.zst" -- "$w" batch "$lists/$trace.list" --gpus "$gpus" --visit "$visit" $options \
			>"$out/$trace-traced.tsv" 2>>"$out/messages.txt" || true
	done
	rm -rf "$parts" "$out/replay-traced.tsv" "$out/blind-traced.tsv" "$out/lmsor_replay-traced.tsv" "$out/profile-traced.tsv"
	;;
measure)
	batch canary "$out/canary-before.tsv"
	batch measure "$out/measured.tsv" --time-limit-s 380
	batch lmsor_replay "$out/lmsor.tsv"
	batch canary "$out/canary-after.tsv"
	;;
patches)
	parts=$(mktemp -d) count=0
	grep -v '^#' "$lists/patches_profile.list" | while read -r line; do # a process a launch shape
		count=$((count + 1))
		echo "$line" >"$parts/one.list"
		timeout 60 "$w" profile --one-by-one -o "$parts/$count.wrt.zst" -- \
			"$w" batch "$parts/one.list" --gpus 1 --repeat 1 --no-verify >/dev/null 2>>"$out/messages.txt" || true
	done
	"$w" profile --join -o "$out/patches.wrt.zst" "$parts"/*.wrt.zst
	"$w" time --list "$lists/patches_kernels.list" --visit "$visit" -o "$out/patches_kernels.tsv"
	batch patches_blind "$out/patches_blind.tsv"
	rm -rf "$parts"
	;;
*)
	echo "visit.sh: calibrate, measure or patches, not '$what'" >&2
	exit 2
	;;
esac
