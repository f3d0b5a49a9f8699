#!/bin/sh
# SPDX-License-Identifier: MIT
# Co-simulates the lines of a list, several at once, and prints a row each, in the list's order.
#   sh kernels/weak/cosimulate.sh LIST COSTS SEEDS [JOBS]     (WARPREEL: the program)
# A line's ages go to the file it names, under the present folder.
set -eu
warpreel=${WARPREEL:-build/warpreel} list=$1 costs=$2 seeds=$3 jobs=${4:-2}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A file a line, named by its number.
one=$scratch/one.sh
cat >"$one" <<'END'
number=$1 solver=$2
shift 3
set -- $(for word; do printf -- '--%s %s ' "${word%%=*}" "${word#*=}"; done)
nice "$WARPREEL" predict "$solver" --co-simulate --costs "$COSTS" --seeds "$SEEDS" "$@" --format tsv >"$SCRATCH/$number.tsv" || :
END
export WARPREEL="$warpreel" COSTS="$costs" SEEDS="$seeds" SCRATCH="$scratch"
awk '!/^#/ && NF { print ++n, $0 }' "$list" | xargs -P "$jobs" -L 1 sh "$one"
lines=$(awk '!/^#/ && NF { n++ } END { print n }' "$list")
for number in $(seq "$lines"); do
	awk -v costs="$(basename "$costs" .tsv)" -v first="$number" 'NR == 1 && first == 1 { print "costs\t" $0 } NR == 2 { print costs "\t" $0 }' "$scratch/$number.tsv"
done
