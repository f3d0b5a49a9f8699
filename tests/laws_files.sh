#!/bin/sh
# SPDX-License-Identifier: MIT
# laws_files.sh WARPREEL FOLDER [EVERY [PLATFORM]]: is an edit of a platform file the same as --set?
# Every number of a shipped platform, h200x4 (EVERY: each of so many) times 1.5, in a copy of the file and by --set, for a run that meets
# kernels, copies and waits: the same answer to the last digit, or the same refusal. Ends with 1 where they differ.
set -eu
warpreel=$1 folder=$2 every=${3:-1} platform=${4:-h200x4}
tests=$(dirname "$0")
shipped=$tests/../model/platforms/$platform.ini
gpus=$(awk '$1 == "gpus" { print ($3 > 2 ? 2 : $3); exit }' "$shipped")
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
	awk -v every="$every" 'NR % every == 0' |
	awk -F '\t' '{
		n = split($2, value, /[ ,\t]+/)
		values = ""
		for (i = 1; i <= n; i++)
			if (value[i] != "")
				values = values (values == "" ? "" : ",") sprintf("%.17g", value[i] * 1.5)
		print $1 "\t" values
	}' >"$folder/numbers"

rm -rf "$folder/files"
run="predict rbsor --format tsv --size 2048 --iterations 20 --gpus $gpus"
{
	for transport in peer host; do
		echo "$run --transport $transport --platform $platform"
	done
	while IFS='	' read -r name values; do
		mkdir -p "$folder/files/$name"
		file=$folder/files/$name/$platform.ini
		awk -v section="[${name%.*}]" -v key="${name##*.}" -v values="$(echo "$values" | tr ',' ' ')" -f "$tests/edit_platform.awk" "$shipped" >"$file"
		transport=peer
		case $name in *h2d* | *d2h* | host.sync* | host.*block* | poll.*) transport=host ;; esac
		echo "$run --transport $transport --platform $file"
		echo "$run --transport $transport --platform $platform --set $name=$values"
	done <"$folder/numbers"
} >"$folder/questions"
sh "$tests/laws_answers.sh" "$warpreel" <"$folder/questions" >"$folder/answers"
awk -F '\t' -v platform="$platform" '
	FILENAME == ARGV[1] { name[++names] = $1; next }
	{ split($4, column, "|"); us = $1 == 0 && $4 != "" ? column[4] " " column[7] : $1 <= 2 ? "refused" : "died" }
	FNR <= 2 { plain[FNR] = us; next }
	FNR % 2 == 0 { # that of the file is before it
		moved += us != plain[1] && us != plain[2]
		if (us != file || us == "died") {
			print platform ": " name[(FNR - 2) / 2] ": " file " in the file, " us " by --set"
			differ++
		}
	}
	{ file = us }
	END {
		printf "%s: %d numbers, %d of them change the answer, %d differ\n", platform, names, moved, differ
		exit differ > 0 || FNR != 2 * names + 2
	}' "$folder/numbers" "$folder/answers"
