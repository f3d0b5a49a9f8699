#!/bin/sh
# SPDX-License-Identifier: MIT
# laws_drawn.sh WARPREEL FOLDER COUNT [SEED]: what-ifs drawn at random over solvers, sizes, numbers of GPUs, platforms, keys and factors.
# Each is asked twice, by --set and by a copy of the platform's file with that number in it: the same answer to the last digit, or the same
# refusal. A cost in time that grows, or a rate that falls, makes no run shorter by more than 0.5 %; where one does, and does no more without
# the mechanisms of work that is queued ahead (tests/laws.sh), that is an explanation. Each takes at most 5 s and 500 MB.
# PART=K/N: the K-th of N parts of them. FOLDER/rows.tsv has a row each; a summary ends it, and 1 where anything else was found.
set -eu
warpreel=$1 folder=$2 count=$3 seed=${4:-25}
platforms=$(dirname "$0")/../model/platforms
ahead=copy-idle,copy-behind,copy-polling,engine-switch-back,event-next-to-copy,doorbell,young-wait,launch-idle,launch-among-launches
mkdir -p "$folder"
# Numbers of the files, a line each: platform, section.key, values; lists joined.
for file in "$platforms"/*.ini; do
	awk -v platform="$(basename "$file" .ini)" '
		function out() { gsub(/\t/, " ", values); if (key != "") print platform "\t" section "." key "\t" values; key = "" }
		/^#/ { next }
		/^\[/ { out(); section = substr($0, 2, length($0) - 2); next }
		/^[ \t]/ { values = values $0; next }
		/=/ { out(); key = $1; values = $0; sub(/^[^=]*= */, "", values) }
		END { out() }' "$file"
done | awk -F '\t' '$2 !~ /^(provenance|platform|base)\./ && $2 !~ /_mad$/ && $3 ~ /^[-+0-9.eE, \t]+$/ && $2 !~ /^tracer\./' >"$folder/numbers"

# Draws: platform, key, factor, gpus, options. (Park and Miller 1988.)
awk -F '\t' -v count="$count" -v seed="$seed" '
	function random(n) { seed = seed * 48271 % 2147483647; return int(seed / 2147483647 * n) }
	function one_of(words,    n, word) { n = split(words, word, " "); return word[1 + random(n)] }
	{ number[NR] = $1 "\t" $2 "\t" $3 }
	/^h200x4/ { main[++mains] = NR }
	END {
		for (k = 0; k < count; k++) {
			n = random(3) ? main[1 + random(mains)] : 1 + random(NR) # measured platforms first
			split(number[n], at, "\t")
			gpus = at[1] == "h200x8" ? one_of("1 2 4 8") : at[1] == "h200x4" ? one_of("1 2 4") : 1
			kind = random(10)
			if (kind < 6)
				what = "rbsor --size " int(256 * 2 ^ (random(500) / 100)) " --border " one_of("1 1 2 4") " --transport " \
					one_of("peer peer host") " --precision " one_of("f32 f32 f64")
			else if (kind < 8)
				what = "lmsor --size " int(130 * 2 ^ (random(300) / 100)) " --check " one_of("every device 10")
			else if (kind == 8 && at[1] == "h200x4")
				what = "mlssor --size " (2 + 8 * (64 + random(128)))
			else if (kind == 8)
				what = "micro --size " (100000 + random(9000000)) " --kernel-model roofline"
			else
				what = "jacobi --size " int(256 * 2 ^ (random(400) / 100)) " --kernel-model roofline --border " one_of("1 2")
			if (what ~ /^m/)
				gpus = 1
			print at[1] "\t" at[2] "\t" one_of("0.25 0.5 0.75 1.25 1.5 2 3 4") "\t" gpus "\t" what " --iterations " (what ~ /^mlssor/ ? 8 : 20) "\t" at[3]
		}
	}' "$folder/numbers" | awk -v part="${PART:-1/1}" '{ split(part, of, "/") } NR % of[2] == of[1] % of[2]' >"$folder/drawn"

answer() { # PLATFORM OPTIONS...: core and total time, or the refusal without paths
	# shellcheck disable=SC2086 # words
	"${TIME:-/usr/bin/time}" -o "$folder/cost" -f '%e %M' "$warpreel" predict $what --gpus "$gpus" --allow-extrapolation --format tsv --platform "$@" \
		>"$folder/said" 2>"$folder/errors" || true
	awk -F '\t' 'NR == 2 { print $4, $7; answered = 1; exit } END { if (!answered) print "refused" }' "$folder/said"
	tail -n 1 "$folder/cost" >>"$folder/costs"
}
# The same run, without the mechanisms of work ahead: microseconds by --set and plain.
unexplained() { # 0: it is as much shorter without them
	plain_text=$(awk -F '\t' -v OFS='\t' 'NR == 2 { print $1, $2 }' "$folder/said")
	[ -n "$plain_text" ] || return 0
	printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n%s\t%s\t1\t1\n' "$plain_text" "$gpus" >"$folder/one.tsv"
	for set in "$name=1x" "$name=${factor}x"; do
		"$warpreel" validate --only runs --models default --platform "$platform" --host "$platform" --set device.name=left-out --set "$set" \
			--measured "$folder/one.tsv" --without "$ahead" -o "$folder/without.tsv" >/dev/null 2>&1 || return 0
		awk -F '\t' 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next } $at["model"] == "default" { print $at["predicted_us"]; exit }' "$folder/without.tsv"
	done | awk -v up="$dearer" 'NR == 1 { plain = $1 } NR == 2 { exit !(up ? $1 < plain * 0.995 : $1 > plain * 1.005) }'
}
: >"$folder/costs"
printf 'platform\tkey\tfactor\tgpus\trun\tplain_us\tset_us\tsame\tlaw\n' >"$folder/rows.tsv"
while IFS='	' read -r platform name factor gpus what values; do
	section=${name%.*} key=${name##*.}
	new=$(printf '%s\n' "$values" | awk -v f="$factor" '{ gsub(/,/, " "); for (i = 1; i <= NF; i++) printf "%s%.17g", (i > 1 ? " " : ""), $i * f }')
	awk -v section="[$section]" -v key="$key" -v values="$new" -f "$(dirname "$0")/edit_platform.awk" "$platforms/$platform.ini" >"$folder/$platform.ini"
	plain=$(answer "$platform") file=$(answer "$folder/$platform.ini") set=$(answer "$platform" --set "$name=$new")
	same=yes law=-
	[ "$file" = "$set" ] || same=no
	# Which way it is dearer: times up, rates down.
	case $name in
	sm.* | poll.* | doorbell.*) direction= ;;
	*_ns | *.ns) direction=up ;;
	*bytes_per_s | *gb_per_s) direction=down ;;
	*) direction= ;;
	esac
	dearer=$(awk -v d="$direction" -v f="$factor" 'BEGIN { print (d == "up" && f > 1) || (d == "down" && f < 1) ? 1 : 0 }')
	case "$plain $set" in
	*refused*) direction= ;;
	esac
	if [ -n "$direction" ]; then
		law=$(awk -v up="$dearer" -v a="${plain% *}" -v b="${set% *}" 'BEGIN {
			reversed = up ? b < a * 0.995 : b > a * 1.005
			print reversed ? "reversed" : "monotone"
		}')
		if [ "$law" = reversed ]; then
			if unexplained; then law=broken; else law=explained; fi
		fi
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$platform" "$name" "$factor" "$gpus" "$what" "$plain" "$set" "$same" "$law" >>"$folder/rows.tsv"
	[ "$same" = yes ] || echo "$platform $name x $factor, $gpus GPUs, $what: $file in the file, $set by --set"
	[ "$law" != broken ] || echo "$platform $name x $factor, $gpus GPUs, $what: $plain, and $set"
done <"$folder/drawn"
awk -F '\t' '
	NR == FNR { split($0, cost, " "); slowest = cost[1] > slowest ? cost[1] : slowest; most = cost[2] > most ? cost[2] : most; next }
	FNR == 1 { next }
	{ drawn++; differ += $8 == "no"; refused += $7 ~ /refused/; law[$9]++; moved += $6 != $7 }
	END {
		printf "%d what-ifs, %d of them change the answer, %d are refused; %d differ between file and --set\n", drawn, moved, refused, differ
		printf "%d of costs and rates: %d monotone, %d reversed and explained, %d broken\n", law["monotone"] + law["explained"] + law["broken"],
			law["monotone"], law["explained"], law["broken"]
		printf "slowest %.1f s, most %.0f MB\n", slowest, most / 1000
		exit differ || law["broken"] || slowest > 5 || most > 500000
	}' "$folder/costs" "$folder/rows.tsv"
