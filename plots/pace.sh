#!/bin/sh
# SPDX-License-Identifier: MIT
# Who is how many steps ahead: pictures of a table of `warpreel predict poisson --co-simulate --pace FILE`, a moment each, or one that moves.
#   plots/pace.sh TABLE ACROSS PICTURE [MOMENTS]
# ACROSS: blocks in a row. PICTURE ends in .gif and moves, or is a name with %03d in it and ends in .png.
set -eu
table=$1 across=$2 picture=$3 moments=${4:-60}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# For each moment the steps of every block, less those of the slowest that has begun.
awk -F '\t' -v across="$across" -v moments="$moments" 'NR == 1 { next } { us[++n] = $1; block[n] = $2; steps[n] = $4; if ($2 > last) last = $2; if ($1 > end) end = $1 }
	END { at = 1; for (m = 1; m <= moments; m++) {
		while (at <= n && us[at] <= end * m / moments) { made[block[at]] = steps[at]; at++ }
		printf "# %.0f\n", end * m / moments
		for (b = 0; b <= last; b++) { printf "%d %d %d\n", b % across, int(b / across), made[b] + 0; if (b % across == across - 1) print "" }
		print "" } }' "$table" >"$scratch/moments"
most=$(awk '!/^#/ && $3 > most { most = $3 } END { print most }' "$scratch/moments")
case $picture in
*.gif) terminal="set terminal gif animate delay 12 loop 0 size 300,420; set output '$picture'" name="" ;;
*) terminal="set terminal pngcairo size 300,420" name="set output sprintf('$picture', m)" ;;
esac
times=$(awk '/^#/ { printf "%s ", $2 }' "$scratch/moments")
gnuplot <<END
$terminal
set yrange [] reverse
set size ratio -1
unset tics
set cbrange [0:$most]
set cblabel "steps made"
set palette defined (0 "#f7f7f7", 0.5 "#56B4E9", 1 "#0b3c5d")
times = "$times"
do for [m = 1:$moments] {
	$name
	set title sprintf("%s us", word(times, m))
	plot "$scratch/moments" index m - 1 using 1:2:3 with image notitle
}
END
