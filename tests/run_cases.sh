#!/bin/sh
# SPDX-License-Identifier: MIT
# Golden command-line cases. tests/cases/NAME.sh runs in an empty folder of its own; its output must be NAME.out, its messages
# NAME.err (neither file: nothing), its exit code NAME.exit (no file: 0).
#
#   run_cases.sh --stamp RESULTS NAME   one case; leaves RESULTS/case-NAME.ok, or .failed and .log (mk/check.mk)
#   run_cases.sh --bless NAME...        rewrites the expectations of the cases that fail, but for lines that hold something open
#                                       and still fit
#
# A case sees $warpreel (the program), $tests (this folder), $platform (tests/cases/lib/small.ini: round numbers that no machine
# has), and what tests/cases/lib/case.sh defines. An expectation may hold {...} for any text within a line, and {~3.25} for a
# number within one per cent. The source folder is written {ROOT}, the scratch folder {HERE}.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$tests")
warpreel=${WARPREEL:?the program to test}
export warpreel tests root LC_ALL=C
export platform="$tests/cases/lib/small.ini"
# What the caller has set must not leak into a case.
unset WARPREEL WARPREEL_CUDA WARPREEL_RECORDER WARPREEL_ROOT CUDA_INJECTION64_PATH COLUMNS
export WARPREEL_OWN_PLATFORM= # nor what was calibrated on this machine
export OMP_WAIT_POLICY=passive # threads that wait sleep: there are as many cases at once as cores

# Whether a line of an expectation stands for one that was found.
fits_awk='function fits(want, have,    open, close_at, pattern, rest, length_, value, tolerance) {
	open = index(want, "{")
	if (!open)
		return want == have
	if (substr(want, 1, open - 1) != substr(have, 1, open - 1))
		return 0
	want = substr(want, open)
	have = substr(have, open)
	if (substr(want, 1, 5) == "{...}") {
		rest = substr(want, 6)
		for (length_ = 0; length_ <= length(have); length_++)
			if (fits(rest, substr(have, length_ + 1)))
				return 1
		return 0
	}
	if (substr(want, 1, 2) == "{~") {
		close_at = index(want, "}")
		value = substr(want, 3, close_at - 3) + 0
		if (!match(have, /^[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?/))
			return 0
		length_ = RLENGTH
		pattern = substr(have, 1, length_) + 0
		tolerance = value < 0 ? -value / 100 : value / 100
		return pattern >= value - tolerance && pattern <= value + tolerance && fits(substr(want, close_at + 1), substr(have, length_ + 1))
	}
	return substr(have, 1, 1) == "{" && fits(substr(want, 2), substr(have, 2))
}'

# match EXPECTED ACTUAL: 0 when every line fits.
match() {
	awk "$fits_awk"'
	NR == FNR { want[++wanted] = $0; next }
	{ if (++had > wanted || !fits(want[had], $0)) { bad = 1; exit 1 } }
	END { exit bad || had != wanted }' "$1" - <"$2"
}

# merge EXPECTED ACTUAL: what was found, but where lines of the expectation stand for it these, with what they hold open: of all
# ways to pair lines in their order one that keeps most.
merge() {
	awk "$fits_awk"'
	FILENAME != "-" { want[++wanted] = $0; next }
	{ have[++had] = $0 }
	END {
		for (i = wanted; i >= 1; i--)
			for (j = had; j >= 1; j--) {
				same[i, j] = fits(want[i], have[j])
				kept[i, j] = same[i, j] ? kept[i + 1, j + 1] + 1 : kept[i + 1, j] > kept[i, j + 1] ? kept[i + 1, j] : kept[i, j + 1]
			}
		for (i = j = 1; j <= had;)
			if (i <= wanted && same[i, j]) { print want[i]; i++; j++ }
			else if (i <= wanted && kept[i + 1, j] >= kept[i, j + 1]) i++
			else print have[j++]
	}' "$1" - <"$2"
}

# run NAME FOLDER: leaves FOLDER/{out,err,exit}.
run() {
	mkdir -p "$2/here"
	(
		cd "$2/here" || exit 99
		here=$(pwd)
		export here
		timeout 300 bash -c '. "$tests/cases/lib/case.sh"; . "$1"' case "$tests/cases/$1.sh" >../out.raw 2>../err.raw </dev/null
		echo $? >../exit
	)
	for stream in out err; do
		sed -e "s|$(cd "$2/here" && pwd)|{HERE}|g" -e "s|$root|{ROOT}|g" "$2/$stream.raw" >"$2/$stream"
	done
}

# fits NAME FOLDER: compares with the expectations; says what differs.
fits() {
	good=0
	for stream in out err exit; do
		want=$tests/cases/$1.$stream
		if [ ! -f "$want" ]; then
			want=$2/want.$stream
			if [ $stream = exit ]; then echo 0 >"$want"; else : >"$want"; fi
		fi
		if ! match "$want" "$2/$stream"; then
			echo "$1: $stream is not as expected (- expected, + found)"
			diff -u "$want" "$2/$stream" | tail -n +3
			good=1
		fi
	done
	return $good
}

mode=${1:-}
case $mode in
--stamp | --bless) shift ;;
*)
	echo "usage: run_cases.sh --stamp RESULTS NAME | --bless NAME..." >&2
	exit 2 ;;
esac
results=
[ "$mode" = --stamp ] && { results=$1; shift; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
for name in "$@"; do
	folder=$scratch/$name
	mkdir -p "$folder"
	run "$name" "$folder"
	case $mode in
	--stamp)
		rm -f "$results/case-$name.ok" "$results/case-$name.failed"
		if fits "$name" "$folder" >"$results/case-$name.log"; then
			echo "1 0" >"$results/case-$name.ok"
		else
			echo "0 1" >"$results/case-$name.failed"
		fi ;;
	--bless)
		fits "$name" "$folder" >/dev/null && continue
		echo "  BLESS   $name"
		for stream in out err exit; do
			if [ -s "$folder/$stream" ] && [ "$(cat "$folder/$stream")" != 0 ]; then
				[ -f "$tests/cases/$name.$stream" ] || : >"$tests/cases/$name.$stream"
				merge "$tests/cases/$name.$stream" "$folder/$stream" >"$folder/new.$stream"
				cp "$folder/new.$stream" "$tests/cases/$name.$stream"
			else
				rm -f "$tests/cases/$name.$stream"
			fi
		done ;;
	esac
done
