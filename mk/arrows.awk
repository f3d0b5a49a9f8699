# SPDX-License-Identifier: MIT
# arrows.awk arrows.txt FILE...: see arrows.sh.

function complain(text) { print text > "/dev/stderr"; bad++ }
function folder_of(file) { return file ~ /\// ? substr(file, 1, match(file, /\/[^\/]*$/) - 1) : "." }
# The file a '#include "name"' means: beside the file that says so, else from the root.
function resolve(file, name,    beside) {
	beside = folder_of(file) "/" name
	sub(/^\.\//, "", beside)
	return beside in is_file ? beside : name
}
# What is one thing to its readers: x.c, x.h, x.cu, x.cuh and x_internal.h.
function unit_of(file) { sub(/\.[a-z]+$/, "", file); sub(/_internal$/, "", file); return file }
# The declared name of a folder: its own, or that of the longest '*' it begins with; "" = none.
function declared(folder,    name, best) {
	if (folder in line_of)
		return folder
	for (name in wild)
		if (index(folder, name) == 1 && length(name) > length(best))
			best = name
	return best == "" ? "" : best "*"
}
function check(file, target, where,    from, to, a, b) {
	from = folder_of(file)
	to = folder_of(target)
	if (from == to)
		return
	a = declared(from)
	b = declared(to)
	if (a == "" || b == "") {
		complain(where ": folder " (a == "" ? from : to) " stands nowhere in mk/arrows.txt")
		return
	}
	if (room_of[a] == room_of[b] ? line_of[a] > line_of[b] : (room_of[a], room_of[b]) in may)
		return
	if ((file, target) in except) {
		except_used[file, target] = 1
		return
	}
	complain(where ": " from " must not include " to " (" target ")")
}

BEGIN {
	for (k = 2; k < ARGC; k++)
		is_file[ARGV[k]] = 1
}

FILENAME == ARGV[1] {
	if (/^#/ || NF == 0)
		next
	if ($1 == "room") {
		room = $2
		for (k = 3; k <= NF; k++)
			may[room, $k] = 1
	} else if ($1 == "except" || $1 == "circle") {
		if (NF < 4)
			complain(FILENAME ":" FNR ": no reason is given")
		if ($1 == "except") {
			except[$2, $3] = 1
		} else {
			circle[$2, $3] = circle[$3, $2] = 1
		}
	} else {
		for (k = 1; k <= NF; k++) {
			if (sub(/\*$/, "", $k)) {
				wild[$k] = 1
				$k = $k "*"
			}
			line_of[$k] = FNR
			room_of[$k] = room
		}
	}
	next
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	target = resolve(FILENAME, quoted[2])
	if (!(target in is_file)) {
		complain(FILENAME ":" FNR ": includes " quoted[2] ", which is no file of a room")
		next
	}
	check(FILENAME, target, FILENAME ":" FNR)
	a = unit_of(FILENAME)
	b = unit_of(target)
	if (a != b && !((a, b) in says)) {
		says[a, b] = FILENAME ":" FNR
		if ((a, b) in circle) {
			circle_seen[a, b] = 1
		} else {
			edges++
			from_unit[edges] = a
			to_unit[edges] = b
			out[a]++
		}
	}
}

END {
	for (pair in except)
		if (!(pair in except_used)) {
			split(pair, file, SUBSEP)
			complain("mk/arrows.txt: " file[1] " no longer includes " file[2] ": take the exception out")
		}
	for (pair in circle) {
		split(pair, file, SUBSEP)
		if (!(pair in circle_seen))
			complain("mk/arrows.txt: " file[1] " does not include " file[2] ": their circle is none, take it out")
	}
	# Units that include none of those left are in no circle; what is left when there are no more such is circles, and what
	# leads to them, which goes the same way from the other end.
	for (way = 0; way < 2; way++) {
		delete count
		for (e = 1; e <= edges; e++)
			if (!gone[e])
				count[way ? to_unit[e] : from_unit[e]]++
		do {
			went = 0
			for (e = 1; e <= edges; e++)
				if (!gone[e] && !count[way ? from_unit[e] : to_unit[e]]) {
					gone[e] = 1
					went++
					count[way ? to_unit[e] : from_unit[e]]--
				}
		} while (went)
	}
	for (e = 1; e <= edges; e++)
		if (!gone[e])
			complain(says[from_unit[e], to_unit[e]] ": " from_unit[e] " includes " to_unit[e] ": part of a circle")
	exit bad > 0
}
