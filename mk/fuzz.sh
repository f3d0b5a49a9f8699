#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh BUILD MINUTES TARGET...: runs each target of BUILD/free that long by the clock, with WORKERS processes each (default 1), as many
# at once as there are cores. What a target learnt stays in BUILD/corpus for the next time; inputs that it died of are in BUILD/found.
# Each run adds a row to BUILD/ledger.tsv, and its edges over time to BUILD/edges.tsv. A table of all runs ends it: processor time,
# executions, edges, and how much processor time ago a new edge came. Exit 1 on a find.
#
# It runs in any folder with tests/bad, tests/corpus and tests/corpora (learned: what targets learnt before): `make fuzz-targets` makes one, and free/fuzz_any.stripped and free/*.words of it are to be carried to machines without a compiler.
set -u
build=$1 minutes=$2
shift 2
# Targets that need a named file make one for each input: in memory, where that is to be had.
[ -n "${TMPDIR:-}" ] || { [ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm; }
# What was freed is kept from use for so long that an input has ended; more of it (256 MB are usual) is but memory that no cache holds.
export ASAN_OPTIONS="quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# fuzz.sh --one BUILD MINUTES TARGET: what xargs starts.
if [ "$build" = --one ]; then
	build=$minutes minutes=$1 target=$2 workers=${WORKERS:-1}
	corpus=$build/corpus/$target
	mkdir -p "$corpus"
	# What was learnt before, elsewhere.
	learned=tests/corpora/learned/$target.tar.xz
	[ -n "$(ls -A "$corpus")" ] || [ ! -e "$learned" ] || tar xJf "$learned" -C "$build/corpus"
	# Files of the right kind that the repository has anyway are seeds, too.
	# Inputs are no longer than what is read is in earnest: cut and glued, they would grow to what only takes time.
	own='' length=65536
	case $target in
	*list*) own=traces/data/lists ;;
	*options*) length=8192 ;; # a configuration has at most 4094 letters
	*platform*) length=20480 ;; # the shipped ones are in what was learnt, without their comments
	*nsight*) length=4096 ;; # 64 rows of a few bytes a column
	esac
	seeds=
	for folder in tests/bad tests/corpus "tests/corpora/${target#fuzz_}" $own; do
		[ -d "$folder" ] && seeds="$seeds $folder"
	done
	# Forked, even a single one: a line says edges and seconds after each job, and a find ends a job only.
	start=$(date +%s)
	words=
	[ -f "$build/free/$target.words" ] && words=-dict=$build/free/$target.words # mk/fuzz_words.sh
	# shellcheck disable=SC2086 # words
	"$build/free/$target" "$corpus" $seeds $words -fork="$workers" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
		-max_total_time="$(awk -v m="$minutes" 'BEGIN { printf "%.0f", 60 * m }')" -timeout=20 -rss_limit_mb=2048 -max_len="$length" -close_fd_mask=1 -entropic_scale_per_exec_time=1 \
		-artifact_prefix="$build/found/$target-" >/dev/null 2>"$build/log/$target"
	times >"$build/log/$target.times" # ends with what the children of this shell took; not in a pipe, whose shell has none
	# Edges, which the lines of a forked run do not count (their `cov` is of features: edges and how often): all inputs once more, seeds first
	# and then as they came, by the inner step of a merge, which writes what each brings that none before it did.
	# shellcheck disable=SC2086 # words
	{
		[ -z "$seeds" ] || find $seeds -maxdepth 1 -type f -printf '0 %p\n'
		find "$corpus" -type f -printf '%T@ %p\n' | sort -n
	} >"$build/log/$target.inputs"
	{ wc -l <"$build/log/$target.inputs"; echo 0; cut -d ' ' -f 2- "$build/log/$target.inputs"; } >"$build/log/$target.merge"
	"$build/free/$target" -merge_inner=1 -merge_control_file="$build/log/$target.merge" -timeout=20 -rss_limit_mb=2048 -max_len="$length" >/dev/null 2>&1
	awk -v OFS='\t' -v target="$target" -v workers="$workers" -v log_file="$build/log/$target" -v curve="$build/edges.tsv" -v start="$start" '
		FILENAME ~ /times$/ { split($1, user, /[ms]/); split($2, kernel, /[ms]/); seconds = 60 * (user[1] + kernel[1]) + user[2] + kernel[2]; next }
		FILENAME ~ /inputs$/ { came[inputs++] = $1; next }
		$1 == "STARTED" { started++ }
		$1 == "COV" && NF > 2 {
			edges += NF - 2
			if (came[$2] > start) { last = came[$2] - start; print target, workers, sprintf("%.0f", last), edges >>curve }
		}
		END {
			while ((getline line < log_file) > 0)
				if (line ~ /^#[0-9]+: cov: /) {
					n = split(line, word, " ")
					executions = substr(word[1], 2) + 0
					for (i = 1; i < n; i++) if (word[i] == "time:") at = word[i + 1] + 0
				}
			# Processor time since the last new edge: its share of the time by the clock. An input that ended the count tells nothing.
			quiet = started < inputs || !at ? 0 : seconds * (1 - (last < at ? last : at) / at)
			print target, sprintf("%.0f", seconds), executions + 0, edges + 0, sprintf("%.0f", quiet)
		}' "$build/log/$target.times" "$build/log/$target.inputs" "$build/log/$target.merge" >>"$build/ledger.tsv"
	exit 0
fi

mkdir -p "$build/found" "$build/log"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh "$0" --one "$build" "$minutes" '{}'

printf '%-22s %8s %12s %8s %8s %10s %6s\n' target cpu_min executions edges inputs quiet_min finds
for target; do
	awk -F '\t' -v target="$target" -v finds="$(find "$build/found" -name "$target-*" | wc -l)" \
		-v kept="$(find "$build/corpus/$target" -type f | wc -l)" '
		$1 == target {
			seconds += $2; executions += $3
			quiet = $4 > edges ? $5 : quiet + $2
			if ($4 > edges) edges = $4
		}
		END { printf "%-22s %8.1f %12d %8d %8d %10.1f %6d\n", target, seconds / 60, executions, edges, kept, quiet / 60, finds }' "$build/ledger.tsv"
done
[ -z "$(ls -A "$build/found")" ]
