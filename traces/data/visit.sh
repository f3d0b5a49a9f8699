#!/bin/sh
# SPDX-License-Identifier: MIT
# One visit to a GPU machine, in one go (docs/measuring.md says what for):
#
#     sh traces/data/visit.sh calibrate VISIT GPUS OUT    canary, platform file, replay traces, profile, canary under the recorder
#     sh traces/data/visit.sh measure VISIT GPUS OUT      canary, everything in measure.list, canary again
#     sh traces/data/visit.sh patches VISIT GPUS OUT      block relaxation: profiles, kernels alone, the runs that were predicted
#     sh traces/data/visit.sh mlssor VISIT GPUS OUT       multi-layer SSOR: kernels alone, profiles, recordings, runs
#
# Wants build/warpreel and the libraries of `make gpu`. Writes into OUT; on a 4-GPU H200 machine the steps of `calibrate` took some
# 300 s (160 s of it the profile) and `measure` 150 to 200 s. Steps have time limits of their own: what is done when one runs out is kept.
set -eu
what=${1:?calibrate, measure, patches or mlssor} visit=${2:?name of the visit} gpus=${3:?GPUs} out=${4:?output folder}
root=$(cd "$(dirname "$0")/../.." && pwd)
w=${WARPREEL:-$root/build/warpreel} lists=${LISTS:-$root/traces/data/lists}
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
	batch patches_papers "$out/patches_papers.tsv" --no-verify
	OMP_PLACES=cores OMP_PROC_BIND=spread,close timeout 120 "$w" batch "$lists/patches_papers_cpu.list" --backend cpu --repeat 3 \
		--warm-up-ms -1 --no-verify --visit "$visit" >"$out/patches_papers_cpu.tsv" 2>>"$out/messages.txt" || true
	rm -rf "$parts"
	;;
mlssor)
	"$w" time --list "$lists/mlssor_staged.list" --visit "$visit" -o "$out/mlssor_kernels.tsv" 2>>"$out/messages.txt" || true
	parts=$(mktemp -d)
	# A process counts the instructions of the first shape of one function, and many do so side by side, which disturbs no count.
	{ printf 'solver\tconfig\n'; grep -v '^#' "$lists/mlssor_profile.list" | sed 's/ [0-9]* /\t/'; } |
		"$w" columns --of kernel,form,subdomain,launches,layers,threads - | tail -n +2 >"$parts/said"
	awk -F '\t' -v parts="$parts" '{
		stem = "mlssor_" $3 ($4 != "-" ? "_" $4 : "") ($4 == "plain" || $4 == "coalesced" || $5 == "-" ? "" : $5 + 0)
		print $1, 1, $2 > (parts "/" NR ".list"); close(parts "/" NR ".list")
		if ($3 == "redblack") print NR, stem
		else if ($6 == 3) print NR, stem "_1221"
		else for (t = 11; t <= 22; t += t % 10 == 2 ? 9 : 1) print NR, stem "_" t }' "$parts/said" >"$parts/functions"
	timeout 85 xargs -P 14 -L 1 sh -c 'timeout -s INT 40 "$0" profile --passes-of sass --kernel "$3" -o "$1/$3-$2.wrt.zst" -- \
		"$0" batch "$1/$2.list" --gpus 1 --repeat 1 --warm-up-ms -1 --no-verify >/dev/null 2>>"$1/messages.txt" || true' \
		"$w" "$parts" <"$parts/functions" || true
	# Hardware counters are one program's at a time; a block of each form does, for they are asked what caches do.
	# (The last word of a configuration holds.)
	awk -F '\t' '$3 == "staged" || $3 == "redblack" || $8 == 32 { print $1, 1, $2 " iterations=" 12 * ($7 == "-" ? 1 : $7) }' \
		"$parts/said" >"$parts/counters.list"
	timeout -s INT 25 "$w" profile --passes-of counters -o "$parts/counters.wrt.zst" -- \
		"$w" batch "$parts/counters.list" --gpus 1 --repeat 1 --warm-up-ms -1 --no-verify >/dev/null 2>>"$parts/messages.txt" || true
	"$w" profile --join -o "$out/mlssor.wrt.zst" "$parts"/*.wrt.zst
	cat "$parts/messages.txt" >>"$out/messages.txt"
	rm -rf "$parts"
	timeout 60 "$w" record -o "$out/mlssor_record.wrt.zst" -- "$w" batch "$lists/mlssor_rectangles.list" --gpus 1 --visit "$visit" \
		--repeat 1 --warm-up-ms 0 --no-verify >/dev/null 2>>"$out/messages.txt" || true
	for list in mlssor_measure_staged mlssor_runs_blind; do
		batch "$list" "$out/$list.tsv" --time-limit-s 60
	done
	"$w" time --list "$lists/mlssor_kernels_blind.list" --visit "$visit" -o "$out/mlssor_kernels_blind.tsv" 2>>"$out/messages.txt" || true
	;;
*)
	echo "visit.sh: calibrate, measure, patches or mlssor, not '$what'" >&2
	exit 2
	;;
esac
