#!/bin/sh
# SPDX-License-Identifier: MIT
# laws_drawn.sh WARPREEL FOLDER COUNT [SEED]: what-ifs drawn at random over solvers, sizes, numbers of GPUs, platforms, keys and factors.
# Each is asked twice, by --set and by a copy of the platform's file with that number in it: the same answer to the last digit, or the same
# refusal. A cost in time that grows, or a rate that falls, makes no run shorter by more than 0.5 %; where one does, and without the mechanisms
# of work that is queued ahead (tests/laws.sh) does no more, or by less than a tenth of it, that is an explanation. Each takes at most 5 s of a processor and 500 MB.
# FOLDER/rows.tsv has a row each; a summary ends it, and 1 where anything else was found.
set -eu
warpreel=$1 folder=$2 count=$3 seed=${4:-25}
tests=$(dirname "$0")
platforms=$tests/../model/platforms
ahead=engine-switch,copy-polling,event-polling,calls-in-loops
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

# Draws: platform, key, gpus, factor, run, value. (Park and Miller 1988.)
awk -F '\t' -v count="$count" -v seed="$seed" '
	function random(n) { seed = seed * 48271 % 2147483647; return int(seed / 2147483647 * n) }
	function one_of(words,    n, word) { n = split(words, word, " "); return word[1 + random(n)] }
	function side(least, doublings) { return int(least * 2 ^ (random(100 * doublings) / 100)) }
	# A run of as many GPUs as `gpus` holds, one where the solver has no more.
	function run(    kind, what) {
		kind = random(20)
		if (kind < 7)
			return "rbsor --size " side(256, 5) " --border " one_of("1 1 2 4") " --transport " one_of("peer peer host") " --precision " \
				one_of("f32 f32 f64") (gpus > 1 && !random(2) ? " --sync " one_of("spin condition one-thread") : "") " --iterations 20"
		if (kind < 10) {
			what = "rbsor --size " side(256, 5) " --kernel " one_of("fused temporal paper auto") " --border " one_of("1 4")
			return what (what ~ /temporal/ ? " --depth " one_of("2 4 8") : "") (gpus == 4 && what !~ /auto/ ? " --partition " one_of("strips 2x2") : "") " --iterations 20"
		}
		if (kind < 12)
			return "lmsor --size " side(130, 3) " --check " one_of("every device 10") " --iterations 20"
		if (kind == 13)
			return "jacobi --size " side(256, 4) " --kernel-model roofline --border " one_of("1 2") " --iterations 20"
		if (kind == 14 && at[1] == "h200x4")
			return "mlssor --size " (2 + 32 * (16 + random(48))) " --kernel " one_of("tuned ahead staged redblack") (gpus > 1 ? " --transport " one_of("peer host") : "") " --iterations 8"
		if (kind == 15)
			return one_of("poisson shape") " --scheme " one_of("base coarse ud-stripe 4w-square 4w-combine-stripe graph barrier flags") " --size " side(64, 3) \
				" --steps " one_of("120 240") " --kernel-model roofline"
		gpus = 1
		if (kind == 12)
			return "rbsor --size " side(256, 2) " --kernel persistent --precision " one_of("f32 f64") " --iterations 20"
		if (kind == 16)
			return "micro --size " (100000 + random(9000000)) " --kernel-model roofline --iterations 20"
		if (kind == 17)
			return "bfs --vertices " side(500, 4) " --kernel-model roofline"
		return "patches --patches " one_of("1 4 16 64") "x" one_of("16 32 64") " --kernel " one_of("sine gemm gemv-sweep") " --order " one_of("whole depth breadth") \
			" --kernel-model " one_of("warps roofline roofline")
	}
	{ number[NR] = $1 "\t" $2 "\t" $3 }
	/^h200x4/ { main[++mains] = NR }
	END {
		for (k = 0; k < count; k++) {
			n = random(3) ? main[1 + random(mains)] : 1 + random(NR) # measured platforms first
			split(number[n], at, "\t")
			factor = one_of("0.25 0.5 0.75 1.25 1.5 2 3 4")
			gpus = at[1] == "h200x8" ? one_of("1 2 4 8") : at[1] ~ /^(h200x4|a100|h100)$/ ? one_of("1 2 4") : 1
			what = run()
			values = ""
			m = split(at[3], value, /[ ,\t]+/)
			for (i = 1; i <= m; i++)
				values = values (i > 1 ? "," : "") sprintf("%.17g", value[i] * factor)
			print at[1] "\t" at[2] "\t" factor "\t" gpus "\t" what "\t" values
		}
	}' "$folder/numbers" >"$folder/drawn"

# Three questions each: as it is, the file, --set.
rm -rf "$folder/files"
n=0
while IFS='	' read -r platform name factor gpus what values; do
	n=$((n + 1))
	mkdir -p "$folder/files/$n"
	file=$folder/files/$n/$platform.ini
	awk -v section="[${name%.*}]" -v key="${name##*.}" -v values="$(echo "$values" | tr ',' ' ')" -f "$tests/edit_platform.awk" \
		"$platforms/$platform.ini" >"$file"
	for platform_options in "$platform" "$file" "$platform --set $name=$values"; do
		echo "predict $what --gpus $gpus --allow-extrapolation --format tsv --platform $platform_options"
	done
done <"$folder/drawn" >"$folder/questions"
sh "$tests/laws_answers.sh" "$warpreel" <"$folder/questions" >"$folder/answers"

# The same run, without the mechanisms of work ahead: microseconds by --set and plain.
unexplained() { # PLATFORM KEY FACTOR GPUS ANSWER DEARER REVERSAL; 0: it is as much shorter without them
	printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n%s\t%s\t1\t1\n' "$(echo "$5" | cut -d '|' -f 1,2 | tr '|' '\t')" "$4" >"$folder/one.tsv"
	for set in "$2=1x" "$2=${3}x"; do
		"$warpreel" validate --only runs --models all --platform "$1" --host "$1" --set device.name=left-out --set "$set" \
			--measured "$folder/one.tsv" --without "$ahead" -o "$folder/without.tsv" >/dev/null 2>&1 || return 0
		awk -F '\t' 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next } $at["model"] == model { print $at["predicted_us"]; exit }' \
			model="$(echo "$5" | cut -d '|' -f 8)" "$folder/without.tsv"
	done | awk -v up="$6" -v reversal="$7" 'NR == 1 { plain = $1 }
		NR == 2 { left = (up ? plain - $1 : $1 - plain) / plain; exit !(left > 0.005 && left > reversal / 10) }'
}
# Of each three answers: core and total time, or refused; whether file and --set agree; and whether a dearer part paid.
awk -F '\t' -v OFS='\t' '
	NR == FNR { draw[NR] = $0; next }
	{
		kind = (FNR - 1) % 3
		split($4, column, "|")
		us[kind] = $1 == 0 && $4 != "" ? column[4] " " column[7] : $1 <= 2 ? "refused" : "died"
		core[kind] = column[4]
		whole[kind] = $4
		message[kind] = $5
		gsub(/[^ ]*\.ini/, "FILE", message[kind])
	}
	kind == 2 {
		split(draw[FNR / 3], d, "\t")
		direction = d[2] ~ /^(sm|poll|doorbell)\.|duration_ns$/ ? 0 : d[2] ~ /(_|\.)ns$/ ? 1 : d[2] ~ /(bytes|gb)_per_s$/ ? -1 : 0
		up = direction * (d[3] - 1) > 0
		law = "-"
		if (direction && core[0] != "" && core[2] != "" && us[0] ~ /^[0-9]/ && us[2] ~ /^[0-9]/)
			law = (up ? core[2] < core[0] * 0.995 : core[2] > core[0] * 1.005) ? "reversed" : "monotone"
		print d[1], d[2], d[3], d[4], d[5], us[0], us[1], us[2], us[1] == us[2] && us[2] != "died" ? "yes" : "no", law, up, whole[0] == "" ? "-" : whole[0],
			us[2] ~ /^[0-9]/ ? "-" : message[2]
	}' "$folder/drawn" "$folder/answers" >"$folder/judged"
printf 'platform\tkey\tfactor\tgpus\trun\tplain_us\tfile_us\tset_us\tsame\tlaw\tmessage\n' >"$folder/rows.tsv"
while IFS='	' read -r platform name factor gpus what plain file set same law up whole message; do
	if [ "$law" = reversed ]; then
		law=explained
		reversal=$(echo "$plain $set" | awk '{ print ($3 > $1 ? $3 - $1 : $1 - $3) / $1 }')
		if unexplained "$platform" "$name" "$factor" "$gpus" "$whole" "$up" "$reversal"; then law=broken; fi
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$platform" "$name" "$factor" "$gpus" "$what" "$plain" "$file" "$set" "$same" "$law" "$message"
done <"$folder/judged" >>"$folder/rows.tsv"
awk -F '\t' '
	NR == FNR { slowest = $2 > slowest ? $2 : slowest; most = $3 > most ? $3 : most; next }
	FNR == 1 { next }
	{ drawn++; differ += $9 == "no"; refused += $8 !~ /^[0-9]/; law[$10]++; moved += $6 != $8 }
	$9 == "no" { print $1 " " $2 " x " $3 ", " $4 " GPUs, " $5 ": " $7 " in the file, " $8 " by --set" }
	$10 == "broken" { print $1 " " $2 " x " $3 ", " $4 " GPUs, " $5 ": " $6 ", and " $8 }
	END {
		printf "%d what-ifs, %d of them change the answer, %d are refused; %d differ between file and --set\n", drawn, moved, refused, differ
		printf "%d of costs and rates: %d monotone, %d reversed and explained, %d broken\n", law["monotone"] + law["explained"] + law["broken"],
			law["monotone"], law["explained"], law["broken"]
		printf "slowest %.1f s of a processor, most %.0f MB\n", slowest, most / 1000
		exit differ || law["broken"] || slowest > 5 || most > 500000
	}' "$folder/answers" "$folder/rows.tsv"
