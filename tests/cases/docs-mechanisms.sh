# Each mechanism has its line among the figures and limits of the pages of its room.
sed -n 's/^MECHANISM([A-Z0-9_]*, "\([^"]*\)", \([A-Z]*\),.*/\1 \2/p' "$root/model/mechanism/mechanisms.def" >mechanisms
while read -r name room; do
	page=$root/docs/model-host.md
	[ "$room" = GPU ] && page=$root/docs/model-gpu.md
	awk -F '|' -v name="$name" '/^## / { here = /^## Figures and limits/ }
		here && NF == 5 { n = split($2, named, /[ ,]+/); for (k = 1; k <= n; k++) found = found || named[k] == name && length($3) > 2 && length($4) > 2 }
		END { exit !found }' "$page" || echo "$name has no line in ${page##*/}"
done <mechanisms
[ "$(wc -l <mechanisms)" -gt 40 ] && echo "all of them"
rm mechanisms
