# A prediction is a trace: it opens, is complete, says that it was predicted, and replays to what was predicted.
for transport in peer host; do
	for gpus in 1 2 4; do
		predicted one.wrt --gpus $gpus --transport $transport
		warpreel check one.wrt >check || cat check
		awk '$1 + 0 > 0' check
		warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 512 --iterations 8 --gpus $gpus --transport $transport \
			--format tsv | columns core_us,total_us,operations >first
		warpreel replay one.wrt --platform "$platform" --format tsv | columns core_us,total_us,operations >again
		paste first again | awk -v run="$transport $gpus" 'NR == 2 { difference = ($1 > $4 ? $1 - $4 : $4 - $1) + ($2 > $5 ? $2 - $5 : $5 - $2)
			print run ": " (difference < 0.01 && $3 == $6 ? "replays to itself" : $0) }'
	done
done
warpreel info --format tsv one.wrt >info
head -n 1 info
awk -F '\t' '$2 == "kind" { print $2, $NF } $1 == "run" { print $NF }' info
