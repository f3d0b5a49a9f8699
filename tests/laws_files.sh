#!/bin/sh
# SPDX-License-Identifier: MIT
# laws_files.sh WARPREEL FOLDER [EVERY]: is an edit of a platform file the same as --set?
# Every number of h200x4 (EVERY: each of so many) times 1.5, in a copy of the file and by --set, for a run that meets kernels, copies and
# waits: the same answer to the last digit, or the same refusal. Ends with 1 where they differ.
set -eu
warpreel=$1 folder=$2 every=${3:-1}
shipped=$(dirname "$0")/../model/platforms/h200x4.ini
mkdir -p "$folder"
# Numbers of a file, a line each: section.key, lists joined.
awk '
	function out() { if (key != "") print section "." key "\t" values; key = "" }
	/^#/ { next }
	/^\[/ { out(); section = substr($0, 2, length($0) - 2); next }
	/^[ \t]/ { values = values $0; next }
	/=/ { out(); key = $1; values = $0; sub(/^[^=]*= */, "", values) }
	END { out() }' "$shipped" |
	awk -F '\t' '$1 !~ /^(provenance|platform|base|device)\./ && $1 !~ /_mad$/ && $1 != "sm.isa"' |
	awk -v every="$every" 'NR % every == 0' >"$folder/numbers"

core() { # PLATFORM OPTIONS...
	"$warpreel" predict rbsor --format tsv --size 2048 --gpus 2 --transport "$transport" --iterations 20 --platform "$@" 2>"$folder/said" |
		awk -F '\t' 'NR == 2 { print $4, $7; answered = 1 } END { if (!answered) print "refused" }'
}
tried=0 differ=0 moved=0
while IFS='	' read -r name values; do
	section=${name%.*} key=${name##*.}
	new=$(printf '%s\n' "$values" | awk '{ gsub(/,/, " "); for (i = 1; i <= NF; i++) printf "%s%.17g", (i > 1 ? " " : ""), $i * 1.5 }')
	awk -v section="[$section]" -v key="$key" -v values="$new" -f "$(dirname "$0")/edit_platform.awk" "$shipped" >"$folder/h200x4.ini"
	transport=peer
	case $name in *h2d* | *d2h* | host.sync* | host.*block* | poll.*) transport=host ;; esac
	file=$(core "$folder/h200x4.ini") set=$(core h200x4 --set "$name=$new") plain=$(core h200x4)
	tried=$((tried + 1))
	[ "$set" = "$plain" ] || moved=$((moved + 1))
	if [ "$file" != "$set" ]; then
		echo "$name: $file in the file, $set by --set"
		differ=$((differ + 1))
	fi
done <"$folder/numbers"
echo "$tried numbers, $moved of them change the answer, $differ differ"
[ "$differ" = 0 ]
