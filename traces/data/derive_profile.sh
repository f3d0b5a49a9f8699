#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernel profiles derived from machine code, where no GPU has counted them: of kernels whose warps all walk the same way, so that
# every instruction runs once or never.
#
#   nvdisasm -c -hex kernel.cubin >listing
#   derive_profile.sh listing walk.tsv template.wrt >profile.wrt
#
# The walk (lists/patches_sine.walk.tsv) says which branches are taken and what each access of a warp touches; addresses are of that
# build alone, and others are refused where an instruction is not what the walk says. The template is any trace of profiles, unpacked and
# by row (warpreel trim --all): its tables are taken, its rows are not. Fields of the walk, tab-separated:
#
#   launch  kernel path blocks threads registers points sectors    sectors: that a block reads from L2, of all that it asks of L1
#   taken   kernel path offset...                                  branches that are taken; the others are not, or by some lanes
#   access  kernel path from to opcode sectors tags threads        a warp's at [from, to] whose text begins so, predicates left out
set -eu
listing=$1 walk=$2 template=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$template" "$work/profile.wrt"
awk -F '\t' -v OFS='\t' -v today="$(date -u +%F)" '
function hex(text,    value, k) {
	for (k = 1; k <= length(text); k++)
		value = value * 16 + index("0123456789abcdef", substr(text, k, 1)) - 1
	return value
}
function fail(message) { print "derive_profile: " message >"/dev/stderr"; failed = 1; exit 1 }
FNR == NR && $1 == "launch" { launch[++launches] = $0; next }
FNR == NR && $1 == "taken" { for (k = 4; k <= NF; k++) taken[$2, $3, hex($k)]; next }
FNR == NR && $1 == "access" { access[++accesses] = $0; next }
FNR == NR { next }
/^[ \t]*\.section[ \t]+\.text\./ { split($0, part, /\.text\.|,/); kernel = part[2]; size = 0; next }
kernel && /^\.L_x_[0-9]+:/ { label[kernel, substr($0, 1, index($0, ":") - 1)] = size * 16; next }
kernel && match($0, /\/\*[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]?\*\/[ \t]/) {
	words = substr($0, RSTART + RLENGTH)
	code = substr(words, index(words, "/* 0x") + 3, 18)
	sub(/[ \t]*;?[ \t]*\/\* 0x.*/, "", words)
	sub(/^[ \t]+/, "", words)
	gsub(/[ \t]+/, " ", words)
	text[kernel, size] = words
	low[kernel, size] = code
	high_comes = 1
	next
}
kernel && high_comes && match($0, /0x[0-9a-f]+/) { high[kernel, size++] = substr($0, RSTART, RLENGTH); count[kernel] = size; high_comes = 0 }
END {
	if (failed)
		exit 1
	print "BEGIN; DROP TABLE IF EXISTS WARPREEL_TABLES; DELETE FROM WARPREEL_PROFILE; DELETE FROM WARPREEL_PROFILE_CODE; DELETE FROM WARPREEL_PROFILE_COUNT; DELETE FROM StringIds;"
	for (l = 1; l <= launches; l++) {
		split(launch[l], of, OFS)
		name = of[2]; path = of[3]; blocks = of[4]; warps = blocks * of[5] / 32
		if (!count[name])
			fail("the listing has no kernel " name)
		if (!(name in id)) {
			id[name] = ++names
			printf "INSERT INTO StringIds VALUES (%d, \x27%s\x27);\n", id[name], name
			for (i = 0; i < count[name]; i++)
				printf "INSERT INTO WARPREEL_PROFILE_CODE VALUES (%d, %d, %s, %s, \x27%s\x27);\n", id[name], i * 16, low[name, i], high[name, i], text[name, i]
		}
		loads = stores = met = 0
		for (i = 0; i < count[name]; i = next_one) {
			line = text[name, i]
			sub(/^@!?U?P[0-9T] /, "", line)
			sectors = tags = 0; threads = 32; next_one = i + 1
			if (line ~ /^(LDG|LD|STG|ST)\./) {
				found = 0
				for (a = 1; a <= accesses && !found; a++) {
					split(access[a], rule, OFS)
					if (rule[2] == name && rule[3] == path && hex(rule[4]) <= i * 16 && i * 16 <= hex(rule[5]) && index(line, rule[6]) == 1) {
						sectors = rule[7]; tags = rule[8]; threads = rule[9]; found = 1
					}
				}
				if (!found)
					fail(sprintf("%s path %s: no rule for %x, %s", name, path, i * 16, line))
				if (line ~ /^ST/) stores += sectors; else loads += sectors
			}
			printf "INSERT INTO WARPREEL_PROFILE_COUNT VALUES (%d, %d, %d, %d, %d, %d, %d, 0, 0, 0);\n", l - 1, i * 16, warps, warps * threads, warps * sectors, warps * sectors, warps * tags
			jump = (name, path, i * 16) in taken
			met += jump
			if (jump && line !~ /^BRA/)
				fail(sprintf("%s: %x is no branch: %s", name, i * 16, line))
			if (line ~ /^EXIT/ && text[name, i] !~ /^@/)
				break
			if (jump || (line ~ /^BRA / && text[name, i] !~ /^@/)) {
				match(line, /\.L_x_[0-9]+/)
				next_one = label[name, substr(line, RSTART, RLENGTH)] / 16
				if (next_one <= i)
					fail(sprintf("%s: %x goes back", name, i * 16))
			}
		}
		wanted = 0
		for (key in taken) { split(key, part, SUBSEP); wanted += part[1] == name && part[2] == path }
		if (met != wanted)
			fail(sprintf("%s path %s: %d of %d taken branches were met", name, path, met, wanted))
		printf "INSERT INTO WARPREEL_PROFILE VALUES (%d, 1, %d, %d, \x27sm_90\x27, %d, 0, %d, 1, 1, %d, 1, 1, 0, 0, %d, 0, 0, %.0f, %.0f, %.0f, %.0f, %.0f, -1, %.0f, -1, 0, -1, -1);\n", \
			l - 1, id[name], id[name], path, blocks, of[5], of[6], of[7], loads * warps, loads * warps - of[8] * blocks, stores * warps, of[8] * blocks, stores * warps
	}
	print "DELETE FROM WARPREEL_META WHERE key NOT IN (\x27kind\x27, \x27warpreel-trace-version\x27);"
	print "INSERT INTO WARPREEL_META VALUES (\x27derived\x27, \x27from machine code by traces/data/derive_profile.sh: nothing was counted\x27);"
	printf "INSERT INTO WARPREEL_META VALUES (\x27date\x27, \x27%s\x27);\n", today
	print "COMMIT; VACUUM;"
}' "$walk" "$listing" >"$work/profile.sql"
sqlite3 -bail "$work/profile.wrt" <"$work/profile.sql"
cat "$work/profile.wrt"
