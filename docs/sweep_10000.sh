#!/bin/sh
# SPDX-License-Identifier: MIT
# sweep_10000.sh WARPREEL FOLDER [JOBS] [EVERY]: how long a sweep of 10,000 configurations takes, of which no two have a size, a border and a
# number of GPUs in common but the two transports. With EVERY only each EVERYth size. FOLDER/sweep.tsv has the answers, FOLDER/time.tsv a row:
# points, answered, processes, seconds of the clock, seconds of processors (all processes), the same a point in ms. Ends with 1 where a point
# was not answered.
set -eu
warpreel=$1 folder=$2 jobs=${3:-2} every=${4:-1}
mkdir -p "$folder"
rm -f "$folder"/sweep.tsv "$folder"/sweep.tsv.sweep
cat >"$folder/sweep.ini" <<END
[sweep]
platform = h200x8
gpus = 1 2 4 8
[rbsor]
size = 1024..25824+$((200 * every))
border = 1..10
transport = peer host
END
begin=$(date +%s.%N)
"$warpreel" sweep "$folder/sweep.ini" -o "$folder/sweep.tsv" --jobs "$jobs"
end=$(date +%s.%N) failed=0
# What children took that have been waited for: user and system, "0m1.234s 0m0.123s" in the second line.
times >"$folder/times"
awk -F '\t' -v begin="$begin" -v end="$end" -v jobs="$jobs" -v times="$(tail -n 1 "$folder/times")" '
	function seconds(text) { return substr(text, 1, index(text, "m") - 1) * 60 + substr(text, index(text, "m") + 1) }
	NR == 1 { for (k = 1; k <= NF; k++) if ($k == "answered") column = k; next }
	{ points++; answered += $column }
	END {
		split(times, part, " ")
		cpu = seconds(part[1]) + seconds(part[2])
		print "points\tanswered\tjobs\twall_s\tcpu_s\tcpu_ms_a_point"
		printf "%d\t%d\t%d\t%.1f\t%.1f\t%.2f\n", points, answered, jobs, end - begin, cpu, 1e3 * cpu / points
		exit answered < points
	}' "$folder/sweep.tsv" >"$folder/time.tsv" || failed=1
cat "$folder/time.tsv"
exit "$failed"
