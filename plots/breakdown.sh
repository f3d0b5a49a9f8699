#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the time goes, predicted: one row a grid size, GPU count and transport.   breakdown.sh WARPREEL PLATFORM MEASURED > breakdown.tsv
# for the GPU counts that MEASURED (measured.tsv of the platform) has.
# x is the bar's place on the axis; kernel, transfer, sync and host are means over the GPUs, us per iteration.
set -eu
warpreel=$1 platform=$2
counts=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["gpus"] }' "$3" | sort -un)
bars=$(echo "$counts" | wc -l)
printf 'transport\tn\tgpus\tx\tkernel_us\ttransfer_us\tsync_us\thost_us\tcore_us\n'
for transport in peer host; do
	group=0
	for n in 1024 4096 8192 16384 32768; do
		bar=0
		iterations=$(test $n -le 16384 && echo 100 || echo 20)
		for gpus in $counts; do
			"$warpreel" predict rbsor --platform "$platform" --size $n --gpus "$gpus" --transport $transport --iterations "$iterations" \
				--format tsv |
			awk -v n=$n -v gpus="$gpus" -v transport=$transport -v iterations="$iterations" -v x=$((group * (bars + 1) + bar)) '
				BEGIN { FS = OFS = "\t" }
				NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
				{ print transport, n, gpus, x, $column["kernel_us"] / iterations, $column["transfer_us"] / iterations,
					$column["sync_us"] / iterations, $column["host_us"] / iterations, $column["core_us"] / iterations; rows++ }
				END { exit rows != 1 }'
			bar=$((bar + 1))
		done
		group=$((group + 1))
	done
done
