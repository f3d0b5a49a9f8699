# Without bounds: the same rows, but for the parts made ideal.
warpreel explain micro --kernel copy4 --size 4096 --platform h200x4 --format tsv >all.tsv
warpreel explain micro --kernel copy4 --size 4096 --platform h200x4 --format tsv --no-bounds >some.tsv
awk -F '\t' 'NR == 1 || $6 == "stall" || $7 == "nothing"' all.tsv | cmp - some.tsv &&
	echo "$(cut -f6 some.tsv | grep -c stall) reasons, $(($(wc -l <all.tsv) - $(wc -l <some.tsv))) parts left out"
warpreel explain micro --kernel copy4 --size 4096 --platform h200x4 --no-bounds | grep -c "  ideal"
warpreel explain micro --kernel copy4 --size 4096 --platform h200x4 --no-bounds | grep "warps' time" | grep -c '%$' # ends with a share, and no control character
