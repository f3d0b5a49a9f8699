#!/bin/sh
# SPDX-License-Identifier: MIT
# What a product asked of cuBLAS costs the host, by runs of patches that it bounds (host.md): the mean error, in %, of each pair of
# host.library_ns and host.first_library_ns, the best pairs first. Visits whose rows are left out are of other hosts.
#   usage: fit_library.sh PLATFORM GPUS VISITS      e.g. fit_library.sh h200x4 2 "FA FC FD GA GB GC"
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
warpreel=${WARPREEL:-$root/build/warpreel} platform=${1:?PLATFORM} gpus=${2:?GPUS} visits=${3:?VISITS}
runs=$(mktemp)
trap 'rm -f "$runs"' EXIT
# The median over the visits of each run that is of the split `development`.
awk -F '\t' -v gpus="$gpus" -v visits=" $visits " -v platform="$platform" "$(cat "$root/docs/quantile.awk")"'
	FILENAME == ARGV[1] { if ($1 == platform && $5 == "development") named[$3, $4]; next }
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$2 ~ / kernel=gemm / && $3 == gpus && (gpus, $2) in named && index(visits, " " $at["visit"] " ") { config[++n] = $2; us[n] = $at["core_us"] }
	END {
		for (k = 1; k <= n; k++)
			if (!(config[k] in done)) { done[config[k]]; print quantile(gather(n, config, us, config[k]), 0.5) "\t" config[k] }
	}' "$root/model/splits.tsv" "$root/traces/data/$platform/measured.tsv" >"$runs"
for each in 5000 6000 7000 8000 8500 9000 9200 9500 10000; do
	for first in 60000 80000 110000 130000 150000; do
		while IFS='	' read -r us config; do
			options=$(for word in $config; do printf -- '--%s %s ' "${word%%=*}" "${word#*=}"; done)
			# shellcheck disable=SC2086 # several words
			"$warpreel" predict patches --platform "$platform" --gpus "$gpus" $options --set host.library_ns=$each --set host.first_library_ns=$first |
				awk -v us="$us" '/core loop  / { error = 100 * ($3 / us - 1) } /^  bound by/ { if ($3 == "host:") print error < 0 ? -error : error }'
		done <"$runs" | awk -v each=$each -v first=$first '{ sum += $1; n++ } END { if (n) printf "%.1f\t%d\t%d\t%d\n", sum / n, n, each, first }'
	done
done | sort -n | head -5
