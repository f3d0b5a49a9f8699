#!/bin/sh
# SPDX-License-Identifier: MIT
# lmsor_counts.sh [-s LEAST-MOST] [OPTION...]: the iteration counts of tests/lmsor_counts.tsv, of sizes from LEAST to MOST, by
# `warpreel solve lmsor OPTION...`; says which differ. The program is $WARPREEL.
set -u
least=0 most=1000000000
if [ "${1-}" = -s ]; then
	least=${2%-*} most=${2#*-}
	shift 2
fi
table=$(dirname "$0")/lmsor_counts.tsv
passed=0 failed=0
while read -r problem size re omega expected where; do
	case $problem in '#'*) continue ;; esac
	if [ "$size" -lt "$least" ] || [ "$size" -gt "$most" ]; then
		continue
	fi
	got=$("${WARPREEL:-build/warpreel}" solve lmsor --problem "$problem" --size "$size" --re "$re" --omega "$omega" --format tsv "$@" </dev/null |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iterations") at = i } NR == 2 { print $at }')
	if [ "$got" = "$expected" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "problem $problem size $size Re $re omega $omega: ${got:-nothing} iterations instead of $expected ($where)"
	fi
done <"$table"
echo "$passed counts as published, $failed not"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
