#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh: whether C and CUDA sources are as clang-format 14 leaves them, and no line of theirs or of a list (.def) has more than
# 100 columns, which clang-format leaves to long words and to lists it is told to keep. Names what is not so, and ends with 1.
#   format.sh --write   formats them
set -u
cd "$(dirname "$0")/.." || exit 1
columns=100
program=clang-format
! command -v clang-format-14 >/dev/null 2>&1 || program=clang-format-14
case $($program --version 2>/dev/null) in
*"version 14."*) ;;
*) echo "format.sh: wants clang-format 14 (other versions break lines elsewhere)" >&2; exit 1 ;;
esac
sources() { find main.c traces kernels model sim tests -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' | LC_ALL=C sort; }
if [ "${1:-}" = --write ]; then
	sources | xargs "$program" -i
	exit
fi
bad=0
for file in $(sources | xargs -n 40 -P 2 "$program" --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | LC_ALL=C sort -u); do
	echo "$file: not as clang-format leaves it (make format)"
	bad=1
done
{ sources; find traces kernels model sim -name '*.def' | LC_ALL=C sort; } | xargs awk -v columns=$columns '
	length($0) > columns / 8 {
		line = $0
		gsub(/[\200-\277]/, "", line) # one byte a character is left
		for (width = 0; (tab = index(line, "\t")) > 0; line = substr(line, tab + 1))
			width = int((width + tab - 1) / 8) * 8 + 8
		width += length(line)
		if (width > columns) {
			print FILENAME ":" FNR ": " width " columns, more than " columns
			bad = 1
		}
	}
	END { exit bad }' || bad=1
exit $bad
