# Work in a blocking stream waits for the legacy default stream and the other way round; in a non-blocking one it does not. The
# recording has work in stream 13 and, beside it, in three others: it is told what they are.
warpreel trim --all -o plain.wrt "$root/traces/data/h200x4/foreign/overlap.wrt.zst"
loop_us() { warpreel replay "$1" --platform h200x4 --range 'look 3' | awk '$1 == "core" { print $3; exit }'; }
told() { # FLAG OUT: of the three others
	cp plain.wrt "$2"
	sqlite3 "$2" "CREATE TABLE IF NOT EXISTS TARGET_INFO_CUDA_STREAM
			(streamId INTEGER, hwId INTEGER, vmId INTEGER, processId INTEGER, contextId INTEGER, priority INTEGER, flag INTEGER);
		INSERT INTO TARGET_INFO_CUDA_STREAM SELECT DISTINCT streamId, 0, 0, globalPid >> 24, contextId, 0,
			CASE streamId WHEN 13 THEN 3 ELSE $1 END FROM CUPTI_ACTIVITY_KIND_KERNEL"
}
told 2 free.wrt
told 1 blocking.wrt
[ "$(loop_us free.wrt)" = "$(loop_us plain.wrt)" ] && echo "non-blocking: as if nothing were known"
awk -v free="$(loop_us free.wrt)" -v blocking="$(loop_us blocking.wrt)" 'BEGIN { print (blocking > 1.3 * free ? "blocking: one after the other" : "blocking: " blocking " of " free) }'
warpreel dump blocking.wrt | awk -F '\t' '$1 == "stream" { print $2, $NF }'
