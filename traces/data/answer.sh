#!/bin/sh
# SPDX-License-Identifier: MIT
# What is answered of each run of a list, to be kept before any is measured (docs/measuring.md):
#
#     sh traces/data/answer.sh LIST [PLATFORM] [OPTION...] > predicted.tsv
#
# Options are predict's: `--host h200x4 --device h100x1` answers for a machine that nobody calibrated. A row that is refused stays,
# with the reason; so does one with a lower bound alone. Ends with 1 when a row's configuration is not written as the solver writes
# it, since its measurement would not be found.
set -eu
list=${1:?LIST} root=$(cd "$(dirname "$0")/../.." && pwd)
w=${WARPREEL:-$root/build/warpreel}
shift
case ${1:-} in
'') set -- --platform h200x4 ;;
-*) ;;
*)
	platform=$1
	shift
	set -- --platform "$platform" "$@"
	;;
esac
printf 'solver\tconfig\tgpus\tpredicted_us\tpredicted_lo_us\tpredicted_hi_us\tnote\n'
grep -v -e '^#' -e '^$' "$list" | {
	wrong=0
	while read -r solver gpus config; do
		options=$(for word in $config; do printf -- '--%s %s ' "${word%%=*}" "${word#*=}"; done)
		# shellcheck disable=SC2086 # several words
		answer=$("$w" predict "$solver" "$@" --gpus "$gpus" $options 2>&1) || true
		echo "$answer" | awk -v OFS='\t' -v solver="$solver" -v gpus="$gpus" -v config="$config" '
			/^[a-z]+ on [0-9]+ GPUs? of / { said = $0; sub(/^[^:]*: /, "", said) }
			/ cost nothing$/ { bound = "not all calibrated"; next } # a warning; such lines may come first
			!first { first = $0; sub(/^warpreel: /, "", first); gsub(/ \([^)]*\)/, "", first) } # files are named there
			/^ *core loop  / {
				us = $3
				for (i = 4; i < NF; i++)
					if ($i == "interval") { least = $(i + 1); most = $(i + 3) }
				if (/LOWER/) bound = "lower bound"
			}
			/not calibrated/ && !bound { bound = "not calibrated" }
			END {
				if (us == "") print solver, config, gpus, "-", "-", "-", "refused: " first
				else print solver, config, gpus, us, least == "" ? "-" : least, most == "" ? "-" : most, bound
				exit us != "" && said != config
			}' || { echo "answer.sh: the solver writes it otherwise: $solver $gpus $config" >&2; wrong=1; }
	done
	exit $wrong
}
