#!/bin/sh
# SPDX-License-Identifier: MIT
# laws.sh WARPREEL FOLDER [sample]: does a dearer call, copy or link ever pay?
# Every cost of host and links times 0, 1/2, 1 and 2, over 30 planned runs (sample: a few of either). An answer that falls by more than
# 0.5 % where a cost grows is a reversal. Work that is queued ahead of the device meets engines that switch and channels that poll
# ever more rarely, and work that comes late does not (docs/model-host.md): a reversal is explained where it is gone without these
# mechanisms, each of which has its benchmark, or less than a tenth of it is left. Others break the law, and end this with 1.
set -eu
warpreel=$1 folder=$2 sample=${3:-}
ahead=engine-switch,copy-polling,event-polling,calls-in-loops
mkdir -p "$folder"
host="launch launch_idle record wait copy_h2d copy_d2h copy_peer sync_idle sync_wake post_block wake_spin wake_block barrier"
keys="copy.h2d.ns copy.d2h.ns copy.peer.ns stream.start_latency_ns stream.event_same_ns stream.event_peer_ns stream.wait_ns"
for call in $host; do keys="host.${call}_ns $keys"; done
rates="nvlink.bytes_per_s share.h2d.bytes_per_s share.d2h.bytes_per_s"
list="512 1024 2048 4096 8192"
for key in $keys $rates; do # all of them, also of a sample: what the platform does not have cannot be multiplied
	"$warpreel" occupancy --platform h200x4 --threads 32 --set "$key=1x" >/dev/null || exit 1
done
if [ -n "$sample" ]; then
	keys="host.launch_ns host.copy_peer_ns host.wait_ns host.sync_wake_ns copy.peer.ns copy.d2h.ns stream.event_peer_ns"
	rates="nvlink.bytes_per_s" list="1024 4096"
fi
{
	printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n'
	for size in $list; do
		for run in "1 peer 1" "2 peer 1" "4 peer 1" "4 peer 4" "2 host 1" "4 host 1"; do
			# shellcheck disable=SC2086 # words
			set -- $run
			[ -z "$sample" ] || [ "$1" = 4 ] || continue
			printf 'rbsor\tsize=%sx%s precision=f32 kernel=tuned scheme=exact border=%s transport=%s iterations=20\t%s\t1\t1\n' \
				"$size" "$size" "$3" "$2" "$1"
		done
	done
} >"$folder/runs.tsv"

# The host of a machine in itself, and no device's records: nothing but plans are answered.
answers() { # WITHOUT KEY FACTOR: dearer by FACTOR
	set -- "$1" "$2" "$3" "$folder/answer.tsv"
	"$warpreel" validate --only runs --models default --jobs 2 --platform h200x4 --host h200x4 --set device.name=left-out --set "$2=$3" \
		--measured "$folder/runs.tsv" ${1:+--without "$1"} -o "$4" >/dev/null 2>"$folder/messages" || { cat "$folder/messages" >&2; exit 1; }
	awk -F '\t' 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
		$at["model"] == "default" { print $at["gpus"] " " $at["config"] "\t" $at["predicted_us"] }' "$4"
}
# A rate is the dearer the smaller it is.
for key in $keys $rates; do
	for factor in 0 0.5 1 2; do
		case $key in
		*bytes_per_s) value=$(awk -v f=$factor 'BEGIN { print f ? 1 / f "x" : "inf" }') ;;
		*) value=${factor}x ;;
		esac
		for without in "" $ahead; do
			# As it is: the same for every key, so that a sample asks once.
			if [ -n "$sample" ] && [ $factor = 1 ]; then
				asis=$folder/asis.${without:+without}
				[ -e "$asis" ] || answers "$without" "$key" "$value" >"$asis"
				cp "$asis" "$folder/one"
			else
				answers "$without" "$key" "$value" >"$folder/one"
			fi
			sed "s/^/$key	$factor	${without:+without}	/" "$folder/one"
		done
	done
done >"$folder/answers.tsv"

awk -F '\t' '
	{ us[$1, $4, $3, $2] = $5; if (!(($1, $4) in seen)) { seen[$1, $4] = 1; key[++n] = $1; run[n] = $4 } }
	function falls(k, without,    f, from, to, worst) {
		for (f = 1; f < 4; f++) {
			from = us[key[k], run[k], without, factor[f]]
			to = us[key[k], run[k], without, factor[f + 1]]
			if (1 - to / from > worst)
				worst = 1 - to / from
		}
		return worst + 0
	}
	END {
		split("0 0.5 1 2", factor, " ")
		for (k = 1; k <= n; k++) {
			fall = falls(k, "")
			left = falls(k, "without")
			if (fall <= 0.005)
				continue
			if (left > 0.005 && left > fall / 10) {
				printf "%s: %s GPUs: %.1f %% shorter where it is dearer, %.1f %% without the mechanisms\n", key[k], run[k],
					100 * fall, 100 * left
				broken++
			} else {
				explained++
				most = fall > most ? fall : most
			}
		}
		printf "%d costs of runs: %d monotone, %d reversed and explained (at most %.1f %%), %d broken\n", n, n - explained - broken,
			explained, 100 * most, broken
		exit broken > 0
	}' "$folder/answers.tsv"
