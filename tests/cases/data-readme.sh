# Every shipped file has its row in traces/data/files.tsv, and every row its file; a trace's date there is its own.
data=$root/traces/data
(cd "$data" && find . -type f ! -name README.md | sed 's|^\./||' | sort) >files
tail -n +2 "$data/files.tsv" | cut -f 1 >rows
sort -c rows && diff files rows && echo "rows and files agree"
awk -F '\t' 'NF != 5 { print FNR ": not five columns" }' "$data/files.tsv"
grep '\.wrt\.zst$' rows | while read -r file; do
	date=$(warpreel info --format tsv "$data/$file" | awk -F '\t' '$1 == "meta" && $2 == "date" { print $NF }')
	awk -F '\t' -v file="$file" -v date="$date" '$1 == file && $4 != date { print file " was recorded on " date }' "$data/files.tsv"
done
