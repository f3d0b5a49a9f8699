# Red and black, to and fro: what differs in nothing that is printed is printed once.
for asked in "rbsor --size 2048" "lmsor --size 1002" "micro --kernel copy4 --size 1048576"; do
	# shellcheck disable=SC2086 # words
	warpreel explain $asked --platform h200x4 --no-bounds >said
	echo "$asked: $(grep -c '  grid ' said) launches, $(grep '  grid ' said | sort | uniq -d | wc -l) twice"
done
warpreel explain rbsor --size 2048 --platform h200x4 --no-bounds --format tsv | sort | uniq -d | wc -l
warpreel explain rbsor --size 512 --platform h200x4 --blocks --format tsv | sort | uniq -d | wc -l
