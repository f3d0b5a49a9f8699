for command in $(commands); do
	refuses warpreel "$command" --frobnicate
done
