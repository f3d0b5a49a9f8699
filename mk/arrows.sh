#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh [ROOT]: whether includes go one way, between rooms and between the folders of a room, in the order of mk/arrows.txt; and
# whether files include each other in a circle. Says which include offends, and ends with 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}" || exit 1
for room in traces kernels model sim; do
	[ ! -d "$room" ] || find "$room" -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def'
done | LC_ALL=C sort | xargs awk -f "$here/arrows.awk" mk/arrows.txt main.c
code=$?
[ $code = 0 ] || exit 1
