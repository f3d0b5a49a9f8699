# What is no trace says so, whichever command reads it: exit 1, one message with its name.
echo 'not a trace' >text.wrt
: >empty.wrt
mkdir folder.wrt
mkfifo pipe.wrt
predicted whole.wrt
head -c 5000 whole.wrt >short.wrt
zstd -q whole.wrt -o whole.wrt.zst
head -c 700 whole.wrt.zst >short.wrt.zst
for file in text.wrt empty.wrt folder.wrt pipe.wrt nowhere.wrt short.wrt short.wrt.zst; do
	for command in "info $file" "check $file" "dump $file" "export -o out.json $file" "compare whole.wrt $file" "trim -o out.wrt $file" \
		"replay $file --platform $platform" "predict rbsor --platform $platform --profile $file"; do
		# shellcheck disable=SC2086 # words
		timeout 20 "$warpreel" $command >out 2>err
		code=$?
		[ $code = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "$file" err && [ ! -s out ] || { echo "$command: exit $code"; cat err; }
	done
	sed "s/^/$file: /" err
done
left_behind | grep '^./out\.' || true
# A trace of a program without runs cannot be trimmed to them.
refuses warpreel trim "$tests/cases/lib/foreign.wrt.zst" -o out.wrt
refuses timeout 20 "$warpreel" record --spool pipe.wrt -o out.wrt
