# 100 copies to a GPU in each of three steps, of eight streams: recorded, they come channel by channel (streams four apart share one),
# and played back as well: in either, fifty of a channel, and then those of the channel before it.
trace=$root/traces/data/h200x4/papers_001_copies.wrt.zst
turns() { # TRACE: how many stood in a channel before the next one came, and how many channels down that is
	"$warpreel" dump "$1" | awk -F '\t' '$1 == "# memcpy" { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "memcpy" && $at["copyKind"] == 1 { print $at["start"], $at["streamId"] }' | sort -n |
		awk '{ channel = $2 % 4 } NR > 1 && channel != before { print count ", then " (before - channel + 4) % 4 " down"; count = 0 } { count++; before = channel } END { print count ", the last" }' |
		sort | uniq -c | awk '$1 > 1 || /the last/ { $1 = $1; print }'
}
turns "$trace"
warpreel replay "$trace" --platform h200x4 -o played.wrt >/dev/null
turns played.wrt
rm played.wrt
