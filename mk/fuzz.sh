#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh BUILD MINUTES TARGET...: runs each target of BUILD/free that long by the clock, as many at once as there are cores. What a
# target learnt stays in BUILD/corpus for the next time; inputs that it died of are in BUILD/found. Each run adds a row to BUILD/ledger.tsv.
# A table of all runs ends it: processor time, executions, edges, and how much processor time ago a run last saw more edges than those
# before it. Exit 1 on a find.
set -u
build=$1 minutes=$2
shift 2

# fuzz.sh --one BUILD MINUTES TARGET: what xargs starts.
if [ "$build" = --one ]; then
	build=$minutes minutes=$1 target=$2
	corpus=$build/corpus/$target
	mkdir -p "$corpus"
	seeds=
	for folder in tests/bad tests/corpus "tests/corpora/${target#fuzz_}"; do
		[ -d "$folder" ] && seeds="$seeds $folder"
	done
	# shellcheck disable=SC2086 # words
	"$build/free/$target" "$corpus" $seeds -max_total_time=$((minutes * 60)) -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
		-print_final_stats=1 -close_fd_mask=1 -artifact_prefix="$build/found/$target-" >/dev/null 2>"$build/log/$target"
	times >"$build/log/$target.times" # ends with what the children of this shell took; not in a pipe, whose shell has none
	awk -v target="$target" -v log_file="$build/log/$target" '
		{ split($1, user, /[ms]/); split($2, kernel, /[ms]/); seconds = 60 * (user[1] + kernel[1]) + user[2] + kernel[2] }
		END {
			while ((getline line < log_file) > 0) {
				n = split(line, word, " ")
				for (i = 1; i < n; i++) if (word[i] == "cov:") edges = word[i + 1]
				if (line ~ /^stat::number_of_executed_units/) executions = word[2]
			}
			printf "%s\t%.0f\t%d\t%d\n", target, seconds, executions, edges
		}' "$build/log/$target.times" >>"$build/ledger.tsv"
	exit 0
fi

mkdir -p "$build/found" "$build/log"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" --one "$build" "$minutes" '{}'

printf '%-22s %8s %12s %8s %8s %10s %6s\n' target cpu_min executions edges inputs quiet_min finds
for target; do
	awk -F '\t' -v target="$target" -v finds="$(find "$build/found" -name "$target-*" | wc -l)" \
		-v kept="$(find "$build/corpus/$target" -type f | wc -l)" '
		$1 == target {
			seconds += $2; executions += $3; quiet += $2
			if ($4 > edges) { edges = $4; quiet = 0 }
		}
		END { printf "%-22s %8.1f %12d %8d %8d %10.1f %6d\n", target, seconds / 60, executions, edges, kept, quiet / 60, finds }' "$build/ledger.tsv"
done
[ -z "$(ls -A "$build/found")" ]
