#!/bin/sh
# SPDX-License-Identifier: MIT
# unit.sh RESULT PROGRAM [ARGUMENT...]: runs a test program and leaves RESULT.ok or RESULT.failed ("passed failed") and RESULT.log.
# Counts the lines "[ RUN      ]" and "[       OK ]" that cmocka and tests/fuzz_main.c print; whatever began and did not end well failed.
set -u
result=$1
shift
rm -f "$result.ok" "$result.failed"
# Threads that wait for each other sleep: there are as many tests at once as cores.
OMP_WAIT_POLICY=passive "$@" >"$result.log" 2>&1 </dev/null
code=$?
begun=$(grep -c '^\[ RUN ' "$result.log")
passed=$(grep -c '^\[ *OK \]' "$result.log")
failed=$((begun - passed))
if [ "$code" != 0 ] && [ "$failed" -le 0 ]; then
	failed=1
	echo "exit code $code" >>"$result.log"
fi
if [ "$failed" -le 0 ] && [ "$passed" = 0 ]; then
	failed=1
	echo "ran no test" >>"$result.log"
fi
if [ "$failed" -gt 0 ]; then
	echo "$passed $failed" >"$result.failed"
else
	echo "$passed 0" >"$result.ok"
fi
