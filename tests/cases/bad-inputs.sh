# Every kept malformed input: exit 1, and what is said names the file. Nothing is left behind.
for file in "$tests"/bad/*; do
	name=$(basename "$file") expected=1
	case $name in
	platform*) set -- predict rbsor --kernel-model roofline --platform "$file" ;;
	picture*) set -- solve shape --image "$file" ;;
	spool*) set -- record -o out.wrt --spool "$file" ;;
	*.md | *.sh | *.txt | *.tsv | *.sql | *.c | *.py) continue ;;
	*far-future*) # times near the end of 64 bits are times: nothing may overflow
		set -- check "$file"
		expected=0 ;;
	*) set -- check "$file" ;;
	esac
	warpreel "$@" >out 2>err
	code=$?
	if [ $code != $expected ] || ! cat out err | grep -q "$name"; then
		echo "$name: exit $code"
		head -n 5 err
	fi
	rm -f out err
	left_behind
done
echo "$(find "$tests/bad" -type f | wc -l) inputs" | awk '{ print ($1 >= 20 ? "enough inputs" : $0) }'
