#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian packages warpreel builds and tests with. Root: missing ones are installed. Otherwise: one line that names them.
#   deps.sh          what make demo and make check need
#   deps.sh ci       and what .ci/run needs besides
#   deps.sh mpi      and what make mpi-bench needs
#   deps.sh --list   what is there, what is not; installs nothing
set -u
cc=${CC:-gcc}

has_header() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" | $cc -x c -E - >/dev/null 2>&1; }
has_library() { /sbin/ldconfig -p | grep -q "$1"; }
has_program() { command -v "$1" >/dev/null 2>&1; }

# package, how to tell, what for
wanted='libsqlite3-dev header sqlite3.h
libzstd-dev header zstd.h
libinih-dev header ini.h
libpng-dev header png.h
libcmocka-dev header cmocka.h
libopenblas0-pthread library libopenblas.so.0
liblapacke library liblapacke.so.3
gnuplot-nox program gnuplot
mandoc program mandoc
zstd program zstd
sqlite3 program sqlite3'
ci='g++ program g++
clang program clang
clang-format-14 program clang-format-14
shellcheck program shellcheck'

mpi='libopenmpi-dev program mpicc
openmpi-bin program mpirun'

[ "${1:-}" = ci ] && wanted="$wanted
$ci"
[ "${1:-}" = mpi ] && wanted="$wanted
$mpi"

missing=
while read -r package kind name; do
	if "has_$kind" "$name"; then
		state=found
	else
		state='not found' missing="$missing $package"
	fi
	[ "${1:-}" = --list ] && printf '%-20s %s\n' "$package" "$state"
done <<END
$wanted
END

[ "${1:-}" = --list ] && exit 0
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! has_program apt-get; then
	echo "make deps: missing packages:$missing (as root: apt-get install$missing)" >&2
	exit 1
fi
echo "  APT    $missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
install() { apt-get install -y -qq --no-install-recommends $missing </dev/null; }
log=$(mktemp)
# Package lists may be absent (fresh container) or stale: fetch them only when they turn out to be.
if ! install >"$log" 2>&1; then
	if ! { apt-get update -qq && install; } >"$log" 2>&1; then
		sed 's/^/  /' "$log" >&2
		rm -f "$log"
		echo "make deps: cannot install:$missing" >&2
		exit 1
	fi
fi
rm -f "$log"
