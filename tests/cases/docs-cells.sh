# Pages are to be read: no cell of a table is longer than 200 characters, README.md has at most 120 lines. Generated pages are their scripts' matter.
cd "$root" || exit 1
for page in *.md docs/*.md docs/lab/*.md docs/papers/*.md traces/data/*.md; do
	case $page in
	docs/validation*) continue ;;
	esac
	awk -v page="$page" '/^[|]/ { n = split($0, cell, "|"); for (i = 1; i <= n; i++)
		if (length(cell[i]) > 202) print page ":" FNR ": a cell of " length(cell[i]) " characters" }' "$page"
done
awk 'END { if (NR > 120) print "README.md has " NR " lines" }' README.md
echo "read"
