# The same while a large trace is being written, plain and compressed; what had that name before stays.
# (A part is there for a moment before, too: whether it could be written is asked first.)
same_part() {
	[ -n "$part" ] && [ -e "$part" ] && return
	part=$(find . -name "$file.part-*" | head -1)
	return 1
}
for file in big.wrt big.wrt.zst; do
	for signal in INT TERM HUP; do
		echo before >$file
		part=
		( exec env --default-signal=HUP "$warpreel" predict rbsor --platform "$platform" --kernel-model roofline --size 512 --gpus 8 --iterations 4000 -o $file ) \
			>/dev/null 2>&1 &
		for _ in $(seq 3000); do
			same_part && break
			sleep 0.02
		done
		[ -e "$part" ] && echo "was being written"
		kill -$signal $!
		wait $! 2>/dev/null
		echo "exit $?, $file holds $(cat $file)"
		rm $file
		left_behind
	done
done
