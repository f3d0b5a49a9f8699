# Ctrl-C, and being told to end, while a file is being written: no half of it stays but the rows that were measured, beside it, and the exit
# says by what it ended.
# Waits until there is something in it.
parts() {
	find . -name 'rows.tsv.so-far' -size +0 2>/dev/null
}
until_written() {
	for _ in $(seq 200); do
		[ -n "$(parts)" ] && break
		sleep 0.05
	done
}
for signal in INT TERM HUP; do
	mkfifo list
	( trap - INT; exec env --default-signal=HUP "$warpreel" batch list --backend cpu -o rows.tsv ) 2>/dev/null &
	exec 3>list
	echo 'rbsor 1 size=64x64 iterations=3' >&3
	until_written
	[ -n "$(parts)" ] && echo "was being written"
	kill -$signal $!
	exec 3>&-
	wait $! 2>/dev/null
	echo "exit $?"
	rm list
	left_behind
	echo "$(wc -l <rows.tsv.so-far) lines"
	rm rows.tsv.so-far
done
# Nobody reads what is printed: the same.
mkfifo list
( "$warpreel" batch list --backend cpu -o rows.tsv >/dev/null 2>&1 & echo $! >number; wait $!; echo "exit $?" ) &
exec 3>list
echo 'rbsor 1 size=64x64 iterations=3' >&3
until_written
kill -PIPE "$(cat number)"
exec 3>&-
wait
rm list number
left_behind
# Those of a run before stay, too.
printf 'rbsor 1 size=64x64 iterations=3\n' >list
warpreel batch list --backend cpu -o rows.tsv
rm list rows.tsv
left_behind
rm rows.tsv.so-far.1
# Signals that were ignored when the program was started stay so: it goes on to the end of the list.
for signal in INT TERM HUP PIPE; do
	mkfifo list
	( trap '' $signal; exec "$warpreel" batch list --backend cpu -o rows.tsv ) 2>/dev/null &
	exec 3>list
	echo 'rbsor 1 size=64x64 iterations=3' >&3
	until_written
	kill -$signal $!
	sleep 0.1
	exec 3>&-
	wait $!
	echo "$signal ignored: exit $?, $(wc -l <rows.tsv) lines"
	rm -f list rows.tsv
	left_behind
done
