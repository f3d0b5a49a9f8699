#!/bin/sh
# SPDX-License-Identifier: MIT
# Times and recordings of public programs (public.tsv), on a machine with a GPU:
#
#     sh traces/data/programs/measure_public.sh PROGRAMS RUNS OUT [SPLIT]
#
# PROGRAMS holds what was built of them, each by the last part of its path (nvcc -O3 -arch=sm_90, not changed), and timed.so (timed.c).
# Each is run RUNS times untraced and twice recorded, round by round, so that what is cut short has all programs. Into OUT: what each
# process printed, <program>-<n>.txt and
# <program>-recorded-<n>.txt, and the spool of each recording. `look` says which of the program's own timers is meant.
# RECORD is the command that records, before the program's; default: build/warpreel record. ONLY names the programs that are run.
set -eu
programs=$(cd "${1:?programs}" && pwd) runs=${2:?runs untraced} out=${3:?output folder} split=${4:-all}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
tab=$(printf '\t')
brief() { timeout -k 1 "${SECONDS_EACH:-20}" "$@"; }
# The last look that a row of this process is of, and one: there it ends (LOOK_LAST of timed.c). Not of older rows, which ran to their end.
last_look() { awk -F '\t' -v path="$1" -v arguments="$2" '$5 == path && $6 == arguments && $1 ~ /^blind[2-9]$/ && $7 > most { most = $7 } END { print most ? most + 1 : 0 }' "$here/public.tsv"; }
for n in $(seq "$runs"); do
	sed 1d "$here/public.tsv" | while IFS="$tab" read -r kind program _ _ path arguments _; do
		[ "$split" = all ] || [ "$split" = "$kind" ] || continue
		case " ${ONLY:-$program} " in *" $program "*) ;; *) continue ;; esac
		LOOK_LAST=$(last_look "$path" "$arguments")
		export LOOK_LAST
		first=$(awk -F '\t' -v path="$path" -v arguments="$arguments" '$5 == path && $6 == arguments { print $2; exit }' "$here/public.tsv")
		if [ "$LOOK_LAST" != 0 ] && [ "$first" != "$program" ]; then # of the same processes
			for file in "$out/$first-$n".* "$out/$first-recorded-$n".*; do
				[ ! -f "$file" ] || cp "$file" "$out/$program-${file#"$out/$first-"}"
			done
			continue
		fi
		[ "$arguments" != - ] || arguments=
		binary=$programs/$(basename "$path" | sed 's/-cuda$//')
		# shellcheck disable=SC2086 # words
		brief env LD_PRELOAD="$programs/timed.so" "$binary" $arguments >"$out/$program-$n.txt" 2>&1 </dev/null || echo "exit $?" >>"$out/$program-$n.txt"
		[ "$n" -le "${RECORDINGS:-2}" ] || continue
		# shellcheck disable=SC2086
		brief ${RECORD:-build/warpreel record} -o "$out/$program-$n.wrt.zst" -- env LD_PRELOAD="$programs/timed.so" "$binary" $arguments >"$out/$program-recorded-$n.txt" 2>&1 </dev/null ||
			echo "exit $?" >>"$out/$program-recorded-$n.txt"
	done
done
