#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of every kernel that a list's runs launch, on a machine with GPUs:
#
#     sh traces/data/profile_list.sh LIST FOLDER [GPUS] [PROCESSES] [SECONDS]
#     warpreel profile --join -o kernels.wrt.zst FOLDER/*.wrt.zst
#
# Which kernels these are is asked of the plan. A process counts the first shape of one function, so each kernel of each run is a
# process of its own; many run side by side, which disturbs no count. KERNELS (an awk pattern) says which kernels are wanted, all by
# default. FOLDER/todo has what was to be counted; SECONDS (100) after the begin no more are started, and messages.txt says what failed.
set -eu
list=${1:?LIST} folder=${2:?FOLDER} gpus=${3:-1} processes=${4:-$(nproc)} seconds=${5:-100}
root=$(cd "$(dirname "$0")/../.." && pwd)
w=${WARPREEL:-$root/build/warpreel}
mkdir -p "$folder"
if [ ! -e "$folder/todo" ]; then
	count=0
	grep -v -e '^#' -e '^$' "$list" | while read -r solver run_gpus config; do
		count=$((count + 1))
		echo "$solver $run_gpus $config" >"$folder/$count.list"
		# shellcheck disable=SC2046 # several words
		"$w" predict "$solver" --gpus 1 $(printf -- '--%s ' $config | tr '=' ' ') --kernel-model zero --platform h200x4 \
			-o "$folder/plan.wrt" >/dev/null
		"$w" dump "$folder/plan.wrt" | awk -v count="$count" -v wanted="${KERNELS:-.}" '
			$1 == "kernel" && $9 ~ wanted && !seen[$9]++ { print count, $9, $12 "." $13 "." $14, $15 "." $16 "." $17 }'
	done >"$folder/todo.new"
	rm -f "$folder/plan.wrt"
	mv "$folder/todo.new" "$folder/todo"
fi
echo "$(wc -l <"$folder/todo") launches of $(cut -d ' ' -f 2 "$folder/todo" | sort -u | wc -l) kernels"
until=$(($(date +%s) + seconds))
# shellcheck disable=SC2016 # of the shell below
awk -v gpus="$gpus" '{ print $1, $2, NR % gpus }' "$folder/todo" | xargs -P "$processes" -L 1 sh -c '
	[ "$(date +%s)" -lt "$2" ] || exit 0
	CUDA_VISIBLE_DEVICES=$5 timeout -s INT 40 "$0" profile --passes-of sass --kernel "$4" -o "$1/$4-$3.wrt.zst" -- \
		"$0" batch "$1/$3.list" --gpus 1 --repeat 1 --warm-up-ms -1 --no-verify >/dev/null 2>>"$1/messages.txt" || true
	' "$w" "$folder" "$until" || true
done=$(find "$folder" -name '*.wrt.zst' | wc -l)
echo "$done of $(wc -l <"$folder/todo") counted"
[ "$done" -gt 0 ]
