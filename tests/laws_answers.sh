#!/bin/sh
# SPDX-License-Identifier: MIT
# laws_answers.sh WARPREEL <QUESTIONS >ANSWERS: what the laws' what-ifs are answered.
# A question is a line of arguments of warpreel; its answer is a line: exit code, seconds of a processor, kilobytes at most, the answer
# (the row of --format tsv, its columns joined by '|'), the last message; separated by tabs.
# Where tests/forked_answers is built beside WARPREEL (make laws does), it answers, twenty times as fast.
set -eu
warpreel=$1
forked=$(dirname "$warpreel")/tests/forked_answers
if [ -n "$(find "$forked" -newer "$warpreel" 2>/dev/null)" ]; then
	data=$(cd "$(dirname "$0")/.." && pwd)/traces/data
	exec "$forked" "$data"/*/kernels/*.wrt.zst "$data"/*/profile/*.wrt.zst
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
while read -r question; do
	code=0
	# shellcheck disable=SC2086 # words
	/usr/bin/time -o "$folder/cost" -f '%U %S %M' "$warpreel" $question >"$folder/said" 2>"$folder/errors" </dev/null || code=$?
	cost=$(tail -n 1 "$folder/cost")
	awk -v cost="$cost" -v code="$code" -v errors="$(tail -n 1 "$folder/errors")" '
		NR == 2 { gsub(/\t/, "|"); said = $0 }
		END { split(cost, c, " "); printf "%d\t%.2f\t%d\t%s\t%s\n", code, c[1] + c[2], c[3], said, errors }' "$folder/said"
done
