#!/bin/sh
# SPDX-License-Identifier: MIT
# sum.sh RESULTS STAMP...: shows what failures said, then one line 'N passed, N failed'. Exit 1 when anything failed.
set -u
results=$1
shift
passed=0 failed=0

# Of a unit program's log only the tests that did not end well; of anything else all.
show() {
	awk '/^\[ RUN / { text = ""; units = 1 }
	{ text = text $0 "\n" }
	/^\[  FAILED  \]/ && text ~ /^\[ RUN / { printf "%s", text; text = "" }
	/^\[ *OK \]/ { text = "" }
	END { if (!units || text ~ /^\[ RUN /) printf "%s", text }' "$1" | tail -n 200
}

for stamp in "$@"; do
	failure=${stamp%.ok}.failed
	if [ -f "$failure" ]; then
		read -r good bad <"$failure"
		echo "--- $(basename "${stamp%.ok}")"
		show "${stamp%.ok}.log"
	elif [ -f "$stamp" ]; then
		read -r good bad <"$stamp"
	else
		echo "--- $(basename "${stamp%.ok}"): left no result in $results"
		good=0 bad=1
	fi
	passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
