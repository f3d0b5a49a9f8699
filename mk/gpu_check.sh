#!/bin/sh
# SPDX-License-Identifier: MIT
# gpu_check.sh PROGRAM|SCRIPT.sh...: runs what needs a GPU, shows what it says, and sums up in one line.
set -u
passed=0 failed=0
for program in "$@"; do
	echo "--- $(basename "$program")"
	case $program in *.sh) set -- bash "$program" ;; *) set -- "$program" ;; esac
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
