#!/bin/sh
# SPDX-License-Identifier: MIT
# A few iterations of one run as boxes, as recorded and as replayed.   timeline.sh WARPREEL PLATFORM TRACES OUT > timeline.tsv
# TRACES is a folder: of all runs there with the configuration below, one on most GPUs is taken. OUT is a folder for the
# predicted trace. Both runs are laid over each other at the begin of one sweep of GPU 0.
set -eu
warpreel=$1 platform=$2 traces=$3 out=$4
# What its configuration must say.
said=size,precision,kernel,scheme,border,transport wanted='8192x8192 f32 tuned exact 1 peer'
first=8 iterations=3

find_run() # prints: number of the run, trace
{
	for trace in "$traces"/*.wrt.zst; do
		test ! -e "$trace" || "$warpreel" info --format tsv "$trace" |
			awk -F '\t' -v OFS='\t' 'BEGIN { print "run", "gpus", "solver", "config" }
				$1 == "run" { at = index($8, " "); print $2, $3, substr($8, 1, at - 1), substr($8, at + 1) }' |
			"$warpreel" columns --of $said - |
			awk -F '\t' -v trace="$trace" -v wanted="$wanted" '
				NR > 1 && $3 == "rbsor" && $5 " " $6 " " $7 " " $8 " " $9 " " $10 == wanted && $2 > most { most = $2; run = $1 }
				END { if (most > 1) print most, run, trace }'
	done | LC_ALL=C sort -n | sed -n '$s/^[0-9]* //p'
}

boxes() # TRACE RUN WHO: kernels and copies of one run, in us from the begin of sweep 2 * first of GPU 0
{
	"$warpreel" dump "$1" | awk -v run="$2" -v who="$3" -v first=$first -v iterations=$iterations '
		BEGIN { FS = OFS = "\t" }
		/^# / { table = substr($1, 3); for (i = 2; i <= NF; i++) at[table, $i] = i; next }
		$1 == "run" && runs++ == run { begin = $at["run", "start"] + 0; over = $at["run", "end"] + 0; config = $at["run", "config"] }
		$1 == "kernel" && $at["kernel", "demangledName"] ~ /rbsor_(tuned|paper)/ {
			n++; what[n] = "sweep"; gpu[n] = $at["kernel", "deviceId"]; start[n] = $at["kernel", "start"]; end[n] = $at["kernel", "end"]
		}
		$1 == "memcpy" {
			n++; what[n] = "copy"; gpu[n] = $at["memcpy", "deviceId"]; start[n] = $at["memcpy", "start"]; end[n] = $at["memcpy", "end"]
		}
		END {
			for (i = 1; i <= n; i++) # a table comes in time order
				if (what[i] == "sweep" && start[i] >= begin && start[i] <= over) {
					turn = sweeps[gpu[i]]++
					what[i] = turn % 2 ? "black" : "red"
					if (gpu[i] == 0 && turn == 2 * first)
						from = start[i]
					if (gpu[i] == 0 && turn == 2 * (first + iterations))
						to = start[i]
				}
			if (!to) {
				print "timeline.sh: too few iterations in the " who " run" > "/dev/stderr"
				exit 1
			}
			span = to - from
			for (i = 1; i <= n; i++)
				if (end[i] > from - span && start[i] < to + span && what[i] != "sweep")
					print who, gpu[i], what[i], (start[i] - from) / 1000, (end[i] - from) / 1000, span / 1000, config
		}'
}

found=$(find_run)
if test -z "$found"; then
	echo "timeline.sh: no run under $traces of rbsor ($said: $wanted) on several GPUs" >&2
	exit 1
fi
run=${found%% *} trace=${found#* }
"$warpreel" replay "$trace" --run "$run" --platform "$platform" -o "$out/timeline-predicted.wrt" > /dev/null
printf 'who\tgpu\twhat\tstart_us\tend_us\tspan_us\tconfig\n'
boxes "$trace" "$run" measured
boxes "$out/timeline-predicted.wrt" 0 predicted
