# Every shipped file has its row in traces/data/README.md, and every row its file; a trace's date there is its own.
data=$root/traces/data
(cd "$data" && find . -type f ! -name README.md | sed 's|^\./||' | sort) >files
sed -n 's/^| `\([^`]*\)` .*/\1/p' "$data/README.md" | sort >rows
diff files rows && echo "rows and files agree"
grep '\.wrt\.zst$' rows | while read -r file; do
	date=$(warpreel info --format tsv "$data/$file" | awk -F '\t' '$1 == "meta" && $2 == "date" { print $NF }')
	grep -F "\`$file\`" "$data/README.md" | grep -qF "| $date |" || echo "$file was recorded on $date"
done
