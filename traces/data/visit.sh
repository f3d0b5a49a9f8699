#!/bin/sh
# SPDX-License-Identifier: MIT
# One visit to a GPU machine, in one go (docs/measuring.md says what for):
#
#     sh traces/data/visit.sh calibrate VISIT GPUS OUT    canary, platform file, replay traces, profile, canary under the recorder
#     sh traces/data/visit.sh measure VISIT GPUS OUT      canary, everything in measure.list, canary again
#     sh traces/data/visit.sh patches VISIT GPUS OUT      block relaxation: profiles, kernels alone, the runs that were predicted
#     sh traces/data/visit.sh mlssor VISIT GPUS OUT       multi-layer SSOR: kernels alone, profiles, recordings, runs
#     sh traces/data/visit.sh named VISIT GPUS OUT [SECONDS]   what is named and not measured: the steps of visit.tsv, in their order,
#                                                         each that GPUS and what is left of SECONDS (540) allow; VISIT_STEPS names
#                                                         another table: visit_machine.tsv is for a machine nobody calibrated
#     sh traces/data/visit.sh rest VISIT GPUS OUT         only says which blind runs and kernels of lists are in no table of measurements
#
# Wants build/warpreel and the libraries of `make gpu`. Writes into OUT; on a 4-GPU H200 machine the steps of `calibrate` took some
# 300 s (160 s of it the profile) and `measure` 150 to 200 s. Steps have time limits of their own: what is done when one runs out is kept.
set -eu
what=${1:?calibrate, measure, patches, mlssor, named or rest} visit=${2:?name of the visit} gpus=${3:?GPUs} out=${4:?output folder}
root=$(cd "$(dirname "$0")/../.." && pwd)
steps=${VISIT_STEPS:-$root/traces/data/visit.tsv}
w=${WARPREEL:-$root/build/warpreel} lists=${LISTS:-$root/traces/data/lists}
mkdir -p "$out"

batch() { # LIST OUTPUT EXTRA...
	list=$1 table=$2
	shift 2
	timeout 420 "$w" batch "$lists/$list.list" --gpus "$gpus" --visit "$visit" "$@" >"$table" 2>>"$out/messages.txt" || true
}

# What a platform measured here is called: h200x2 where there are two NVIDIA H200.
machine_name() {
	nvidia-smi --query-gpu=name --format=csv,noheader | awk -v gpus="$gpus" 'NR == 1 { print tolower($2) "x" gpus }'
}

# What of all lists model/splits.tsv holds to be blind, that visit.tsv does not name and that no table has: SOLVER GPUS CONFIG.
rest() { # runs or kernels
	case $1 in
	runs) sets='^(runs|planned|size|gpus)$' table=measured ;;
	kernels) sets='^kernels$' table=kernels ;;
	esac
	named=$(awk -F '\t' -v at="$lists" '$4 == "batch" { printf " %s/%s.list", at, $5 }' "$steps")
	# shellcheck disable=SC2086 # several words
	awk -F '\t' -v gpus="$gpus" -v sets="$sets" -v table="$table" '
		FNR == 1 { file++ }
		file == 1 { if ($2 ~ sets) split_of[$4 FS $3] = $5; next } # the last line says
		file == 2 { done[$1 " " (table == "kernels" ? 1 : $3) " " $2] = 1; next }
		/^#/ { next }
		{
			split($0, word, " ")
			config = substr($0, length(word[1] word[2]) + 3)
			split_is = (config FS word[2]) in split_of ? split_of[config FS word[2]] : split_of[config FS "*"]
			ours = word[2] + 0 > 0 && word[2] + 0 <= gpus && split_is == "blind" && !($0 in done)
			done[$0] = 1
			if (ours && (" " named " ") !~ (" " FILENAME " "))
				print
		}' named="$named" "$root/model/splits.tsv" "$root/traces/data/${PLATFORM:-h200x4}/$table.tsv" $named "$lists"/*.list
}

# A step of visit.tsv: NAME KIND OF. Leaves what it makes in OUT under its name.
step() {
	case $2 in
	batch) # LIST [OPTION...]; rows of more GPUs are no failure
		list=${3%% *}
		awk -v gpus="$gpus" '/^#/ || $2 <= gpus' "$lists/$list.list" >"$out/$1.list"
		# shellcheck disable=SC2086 # several words
		"$w" batch "$out/$1.list" --gpus "$gpus" --visit "$visit" -o "$out/$1.tsv" ${3#"$list"}
		;;
	rest)
		rest "$3" >"$out/$1.list"
		[ -s "$out/$1.list" ] || return 0
		case $3 in
		runs) "$w" batch "$out/$1.list" --gpus "$gpus" --visit "$visit" --no-verify -o "$out/$1.tsv" ;;
		kernels) "$w" time --list "$out/$1.list" --visit "$visit" -o "$out/$1.tsv" ;;
		esac
		;;
	test) # PROGRAM [ARGUMENT...]
		# shellcheck disable=SC2086 # several words
		"${TESTS:-$root/build/tests}"/$3
		;;
	record) "$w" record -o "$out/$1.wrt.zst" -- "$w" batch "$lists/$3.list" --gpus "$gpus" --repeat 1 --warm-up-ms 0 --no-verify ;;
	virtual) CUDA_VISIBLE_DEVICES=0 "$w" record --as-gpus 2 -o "$out/$1.wrt.zst" -- \
		"$w" batch "$lists/$3.list" --gpus 2 --repeat 1 --warm-up-ms 0 --no-verify ;;
	gate) GATE_SECONDS=$least sh "$root/tests/nccl_gate.sh" "$3" "$out/gate" ;;
	platform) "$w" calibrate -o "$out/$3.ini" --name "$(machine_name)" --gpus "$gpus" --budget "$least" ;;
	verify)
		cp "$out/$3.ini" "$out/$1.ini"
		"$w" calibrate --verify "$out/$1.ini" --gpus "$gpus"
		;;
	calibrate) "$w" calibrate -o "$out/$1.ini" --only "$3" --gpus "$gpus" --budget "$least" ;;
	*) echo "visit.tsv: no kind $2"; return 2 ;;
	esac
}

# All of visit.tsv. A step begins when the seconds it is said to take are left, and may take twice as many, if they are.
named() {
	begin=$(date +%s)
	WARPREEL_NCCL=${WARPREEL_NCCL:-$(sh "$root/tests/nccl_folder.sh" 2>/dev/null)/libnccl.so.2}
	export WARPREEL_NCCL
	printf 'step\tresult\tseconds\trows\n' >"$out/steps.tsv"
	tail -n +2 "$steps" >"$out/steps.todo"
	while IFS="$(printf '\t')" read -r name wants least kind of <&3; do
		left=$(($1 - $(date +%s) + begin)) now=$(date +%s)
		if [ "$wants" -gt "$gpus" ]; then
			result="wants $wants GPUs"
		elif [ "$least" -gt "$left" ]; then
			result="no time: $left s"
		else
			most=$((2 * least < left ? 2 * least : left))
			result=0
			timeout -k 5 "$most" sh "$0" step "$visit" "$gpus" "$out" "$name" "$kind" "$of" "$least" >"$out/$name.txt" 2>&1 || result=$?
		fi
		rows=-
		for table in "$out/$name.tsv" "$out/$name.tsv.so-far"; do
			[ ! -e "$table" ] || rows=$(tail -n +2 "$table" | grep -c .) || true
		done
		printf '%s\t%s\t%s\t%s\n' "$name" "$result" "$(($(date +%s) - now))" "$rows" | tee -a "$out/steps.tsv"
	done 3<"$out/steps.todo"
	rm -f "$out/steps.todo"
	awk -F '\t' 'NR > 1 && $2 != "0" { bad++ } END { print NR - 1 - bad " of " NR - 1 " steps"; exit bad > 0 }' "$out/steps.tsv"
}

case $what in
named) named "${5:-540}" ;;
rest)
	rest runs
	rest kernels
	;;
step)
	least=${8:?} # of `named`, whose time limit ends a process
	step "$5" "$6" "$7"
	;;
calibrate)
	batch canary "$out/canary.tsv"
	platform=$(machine_name)
	"$w" calibrate -o "$out/$platform.ini" --gpus "$gpus" --budget 110
	parts=$(mktemp -d) list=
	for process in 1 2 3; do # calls differ from process to process
		"$w" calibrate -o "$parts/$process.ini" --only host,stream,copy,peer_exchange,poll --gpus "$gpus" --budget 14 2>>"$out/messages.txt"
		list=$list${list:+,}$parts/$process.ini
	done
	"$w" calibrate --merge "$list" --only peer_exchange,poll --update "$out/$platform.ini"
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
	echo "visit.sh: calibrate, measure, patches, mlssor, named or rest, not '$what'" >&2
	exit 2
	;;
esac
