#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh BUILD MINUTES TARGET...: runs each target of BUILD/free that long, as many at once as there are cores. What a target learnt
# stays in BUILD/corpus for the next time; inputs that it died of are in BUILD/found. A table of what was done ends it; exit 1 on a find.
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
	exit 0
fi

mkdir -p "$build/found" "$build/log"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" --one "$build" "$minutes" '{}'

printf '%-22s %12s %8s %8s %6s %6s\n' target executions edges inputs new finds
for target; do
	awk -v target="$target" -v finds="$(find "$build/found" -name "$target-*" | wc -l)" \
		-v kept="$(find "$build/corpus/$target" -type f | wc -l)" '
		{ for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
		/^stat::number_of_executed_units/ { executions = $2 }
		/^stat::new_units_added/ { new = $2 }
		END { printf "%-22s %12d %8d %8d %6d %6d\n", target, executions, edges, kept, new, finds }' "$build/log/$target"
done
[ -z "$(ls -A "$build/found")" ]
