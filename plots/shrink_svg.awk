# SPDX-License-Identifier: MIT
# A figure of gnuplot's, smaller: the same marks, told in fewer bytes. Points of one shape, size and colour that follow each other are a
# path that is not drawn, with a marker at each of its corners; how a group looks is a class; a group that says what the one before said goes on; groups that hold nothing, and gnuplot's names for its plots, go;
# lengths have one decimal (a tenth of a pixel), and those of points, where there are more than 500, none: a point on another goes; colours are hexadecimal, areas are paths,
# lines along an axis are told by one number, and paths that draw nothing go.
BEGIN { RS = "<"; depth = 0 }

# rgb(188, 219, 234) as #bcdbea.
function hexed(text,    out, part) {
	while (match(text, /rgb\([0-9 ]+,[0-9 ]+,[0-9 ]+\)/)) {
		split(substr(text, RSTART + 4, RLENGTH - 5), part, ",")
		out = out substr(text, 1, RSTART - 1) sprintf("#%02x%02x%02x", part[1], part[2], part[3])
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# A step of a path to the absolute place X,Y: a line along an axis is told by one number. `last` is where the step before ended.
function step(command, place, last,    xy, told) {
	split(place, xy, ",")
	told = command == "M" ? "M" xy[1] "," xy[2] : xy[2] == last[2] ? "H" xy[1] : xy[1] == last[1] ? "V" xy[2] : "L" xy[1] "," xy[2]
	last[1] = xy[1]
	last[2] = xy[2]
	return told
}

# A path of lines; empty where it only moves. Others are left as they are.
function lines_of(data,    k, n, at, command, last, out, lines) {
	n = split(data, at, " ")
	for (k = 1; k <= n; k++) {
		command = substr(at[k], 1, 1)
		if (command !~ /[MLZ]/)
			return data
		lines += command == "L"
		out = out (command == "Z" ? "Z" : step(command, substr(at[k], 2), last))
	}
	return lines ? out : ""
}

# A polygon's points as a path.
function outline(points,    k, n, at, last, out) {
	gsub(/[ \t\n]+$/, "", points)
	n = split(points, at, /[ \t\n]+/)
	for (k = 1; k <= n; k++)
		out = out step(k == 1 ? "M" : "L", rounded(at[k]), last)
	return out "z"
}

# Numbers with two decimals, with one.
function rounded(text,    out) {
	while (match(text, /[0-9]+\.[0-9][0-9]/)) {
		number = sprintf("%.1f", substr(text, RSTART, RLENGTH))
		sub(/\.0$/, "", number)
		out = out substr(text, 1, RSTART - 1) number
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# A group's tag with its looks, but for where it is, as a class.
function classed(tag,    rest, looks, kept, name, value) {
	rest = substr(tag, 3)
	gsub(/'/, "\"", rest)
	while (match(rest, /[a-z-]+="[^"]*"/)) {
		name = value = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		sub(/=.*/, "", name)
		sub(/^[^"]*"/, "", value)
		sub(/"$/, "", value)
		if (name == "transform" || name == "id")
			kept = kept " " name "=\"" (name == "id" ? value : rounded(value)) "\""
		else
			looks = looks name ":" rounded(value) (name == "font-size" ? "px" : "") ";"
	}
	if (looks != "" && !(looks in class_of)) {
		class_of[looks] = "c" ++classes
		looks_of[classes] = looks
	}
	return "g" kept (looks != "" ? " class=\"" class_of[looks] "\"" : "") ">"
}

# What waits to be written: the end of a group, which the next tag may take back, and begins of groups that are still empty.
function flush(    k) {
	if (points_of != "" && row != "")
		printf "<path style='marker:url(#%s)' fill='none' stroke='none' d='%s'/>\n", points_of, row
	points_of = row = ""
	printf "%s", waiting
	waiting = ""
	for (k = written + 1; k <= depth; k++)
		printf "%s\n", "<" open[k]
	written = depth
}

NR == 1 { printf "%s", $0; next }

# A point: <use xlink:href='#ID' transform='translate(X,Y) scale(S)' color='C'/>
/^use xlink:href='#gpPt[0-9]+' transform='translate\([0-9.,-]+\) scale\([0-9.]+\)' color='[^']*'\/>/ {
	at = index($0, "translate(")
	place = substr($0, at + 10)
	place = substr(place, 1, index(place, ")") - 1)
	kind = $0
	sub(/translate\([^)]*\) /, "", kind)
	sub(/\/>.*/, "/>", kind)
	if (!(kind in name)) {
		name[kind] = "p" ++kinds
		kind_of[kinds] = kind
	}
	split(rounded(place), xy, ",")
	if (points_of != name[kind]) # the row of points before it ends
		flush()
	# A cloud: to a pixel, and what is there already stays.
	if (++points > 500) {
		xy[1] = sprintf("%.0f", xy[1])
		xy[2] = sprintf("%.0f", xy[2])
		if ((name[kind], xy[1], xy[2]) in there)
			next
		there[name[kind], xy[1], xy[2]]
	}
	if (points_of == "") { # flush() leaves none behind
		flush()
		points_of = name[kind]
	}
	row = row (row == "" ? "M" : " ") xy[1] "," xy[2]
	next
}

/^path / {
	rest = $0
	d = index(rest, " d='")
	if (d) {
		tail = substr(rest, d + 4)
		end = index(tail, "'")
		data = rounded(substr(tail, 1, end - 1))
		gsub(/[ \t\n]+/, " ", data)
		sub(/ $/, "", data)
		data = lines_of(data)
		if (data == "") {
			flush()
			sub(/^[^>]*>/, "", tail)
			printf "%s", tail
			next
		}
		head = substr(rest, 1, d)
		gsub(/  +/, " ", head)
		rest = head "d='" data substr(tail, end)
	}
	flush()
	printf "<%s", hexed(rest)
	next
}

# An area: <polygon fill = 'C' points = 'X,Y X,Y '/>, or with fill-opacity = 'O' before its points
/^polygon fill = '[^']*' (fill-opacity = '[^']*' )?points = '[^']*'\/>/ {
	n = split($0, word, "'")
	flush()
	printf "<path fill='%s'%s d='%s'/>\n", hexed(word[2]), (n > 5 ? " fill-opacity='" word[4] + 0 "'" : ""), outline(word[n - 1])
	next
}

/^g[ >]/ {
	tag = $0
	sub(/>.*/, ">", tag)
	gsub(/[ \t]+/, " ", tag)
	sub(/ id="gnuplot_plot_[0-9a-z]*" ?/, "", tag)
	tag = classed(tag)
	text = substr($0, index($0, ">") + 1)
	open[++depth] = tag
	if (waiting != "" && tag == closed && written == depth - 1) {
		waiting = ""
		written = depth
	}
	if (text !~ /^[ \t\n]*$/) {
		flush()
		printf "%s", text
	}
	next
}

/^\/g>/ {
	if (written < depth) { # it held nothing
		depth--
		next
	}
	flush()
	closed = open[depth--]
	written = depth
	waiting = "</g>\n"
	next
}

/^title>gnuplot_plot_/ { dropped = 1; next }
/^\/title>/ && dropped { dropped = 0; next }

# A label of nothing.
/^text>[ \t\n]*$/ { empty = 1; next }
/^\/text>/ && empty { empty = 0; next }
empty { # it had something within
	empty = 0
	flush()
	printf "<text>"
}

/^\/svg>/ {
	flush()
	if (kinds) {
		print "<defs>"
		for (k = 1; k <= kinds; k++)
			printf "<marker id='p%d' markerUnits='userSpaceOnUse' overflow='visible' fill='none'><%s</marker>\n", k, kind_of[k]
		print "</defs>"
	}
	print "<style>"
	for (k = 1; k <= classes; k++)
		printf ".c%d{%s}\n", k, looks_of[k]
	print "</style>"
	print "</svg>"
	next
}

{
	flush()
	printf "<%s", $0
}
