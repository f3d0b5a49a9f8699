#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws two or three columns of a sweep's table:   sweep.sh TABLE.tsv X,Y[,Z] PICTURE [BY]
# X,Y: y over x, a curve for each value of column BY (gpus unless said). X,Y,Z: the colour is z. Where several points share a
# place, the least y, or z, is drawn: the best configuration.
set -eu
table=$1 names=$2 picture=$3 by=${4:-gpus}
here=$(dirname "$0")
part=$(mktemp)
trap 'rm -f "$part" "$part.log" "$part.y" "$part.cells"' EXIT
LC_ALL=C awk -F '\t' -v names="$names" -v by="$by" '
	function fail(text) { print "warpreel: --draw: " text >"/dev/stderr"; failed = 1; exit 2 }
	NR == 1 {
		for (i = 1; i <= NF; i++) at[$i] = i
		n = split(names, name, ",")
		if (n < 2 || n > 3) fail("two or three columns, not \"" names "\"")
		for (i = 1; i <= n; i++) if (!(name[i] in at)) fail("the table has no column \"" name[i] "\"")
		if (!(by in at)) fail("the table has no column \"" by "\"")
		next
	}
	{
		key = ""; number = 1
		for (i = 1; i <= n; i++) if ($at[name[i]] + 0 != $at[name[i]]) number = 0
		if (!number) next
		for (i = 1; i < n; i++) key = key $at[name[i]] "\t"
		if (n == 2) { key = $at[by] SUBSEP $at[name[1]]; value = $at[name[2]] } else value = $at[name[n]]
		if (!(key in least) || value + 0 < least[key] + 0) least[key] = value
		rows++
	}
	END {
		if (failed) exit 2
		if (!rows) { print "warpreel: --draw: these columns hold no numbers" >"/dev/stderr"; exit 2 }
		for (key in least)
			if (n == 2) { split(key, word, SUBSEP); print word[1] "\t" word[2] "\t" least[key] } else print "-\t" key least[key]
	}' "$table" | LC_ALL=C sort -t '	' -k 1,1 -k 2,2g -k 3,3g | awk -F '\t' -v by="$by" -v names="$names" '
	BEGIN { curves = split(names, name, ",") == 2 }
	curves && $1 != last { printf "%s%s = %s\n", (NR > 1 ? "\n\n" : ""), by, $1; last = $1 }
	{ sub(/^[^\t]*\t/, ""); print }' >"$part"
[ -s "$part" ] || exit 1
# Colours stand in cells of all values: place x, place y, z, the values themselves.
case $names in
*,*,*)
	LC_ALL=C sort -u -k 2,2g "$part" | awk -F '\t' '!($2 in place) { place[$2] = ++n; print $2 "\t" n }' >"$part.y"
	awk -F '\t' 'NR == FNR { y[$1] = $2; next } $1 != x { x = $1; nx++ } { print nx "\t" y[$2] "\t" $3 "\t" $1 "\t" $2 }' \
		"$part.y" "$part" >"$part.cells"
	mv "$part.cells" "$part"
	;;
esac
# A span of four and more is drawn on a logarithmic axis.
spans() { awk -F '\t' -v at="$1" 'NF > 1 { v = $at + 0; if (!n++ || v < lo) lo = v; if (n == 1 || v > hi) hi = v } END { print (lo > 0 && hi >= 4 * lo) }' "$part"; }
x=${names%%,*} rest=${names#*,}
y=${rest%%,*} z=
[ "$y" = "$rest" ] || z=${rest#*,}
gnuplot -e "style='$here/style.gp'; data=''; picture='$picture'; table='$part'; x_name='$x'; y_name='$y'; z_name='$z'; x_log=$(spans 1); y_log=$(spans 2); z_log=$(spans 3)" \
	"$here/sweep.gp" 2>"$part.log" || { cat "$part.log" >&2; exit 1; }
