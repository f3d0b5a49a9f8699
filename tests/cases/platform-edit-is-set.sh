# An edit of a platform file and --set are one thing: finer measurements move with the plain value from their base.
answer() { warpreel predict rbsor --format tsv "$@" 2>err | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["core_us"] }'; }
shipped=$root/model/platforms/h200x4.ini
# edited SECTION KEY VALUES: the shipped file with that line changed
edited() { awk -v section="[$1]" -v key="$2" -v values="$3" '/^\[/ { on = $0 == section } on && $1 == key { print key " = " values; more = 1; next } more && /^[ \t]/ { next } { more = 0; print }' "$shipped" >h200x4.ini; }
# both SECTION KEY VALUES SIZE: the same number from both, and not that of the file as it is
both() {
	edited "$1" "$2" "$3"
	file=$(answer --size "$4" --gpus 4 --platform ./h200x4.ini)
	set=$(answer --size "$4" --gpus 4 --platform h200x4 --set "$1.$2=$3")
	[ -s "plain.$4" ] || answer --size "$4" --gpus 4 --platform h200x4 >"plain.$4"
	plain=$(cat "plain.$4")
	[ "$file" = "$set" ] && [ "$file" != "$plain" ] && echo "$1.$2: one thing"
}
both nvlink bytes_per_s 1e9 8192
both nvlink bytes_per_s 900e9 16384
both host launch_ns "4167970 3553550 3757610" 1024
both copy.peer ns "1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e5 1e6 1e7 1e8" 1024
both stream start_latency_ns 9000 1024
both sm dram_read_bytes_per_s 9e12 8192
edited nvlink bytes_per_s 1e9
answer --size 1024 --platform ./h200x4.ini >out; cat err
# Sizes of one curve are those of others, and of what they were: the last copy back says so.
total() { warpreel predict rbsor --size 1379 --transport host --iterations 20 --format tsv "$@" 2>/dev/null | columns total_us; }
sizes="16 1024 4096 16384 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 67108864 268435456 1073741824"
edited copy.h2d bytes "$sizes"
[ "$(total --platform ./h200x4.ini)" = "$(total --platform h200x4 --set "copy.h2d.bytes=$sizes")" ] && echo "copy.h2d.bytes: one thing"
# a number of times what is there, of every entry of a list
[ "$(answer --size 1024 --gpus 2 --platform h200x4 --set host.launch_ns=1000x)" = "$(answer --size 1024 --gpus 2 --platform h200x4 --set "host.launch_ns=4167970 3553550 3757610")" ] && echo "times: one thing"
[ "$(answer --size 1024 --gpus 2 --platform h200x4 --set host.launch_ns=1x)" = "$(answer --size 1024 --gpus 2 --platform h200x4)" ] && echo "once: nothing"
# One number for what several GPUs share is the rate of one, and no cap for all of them: a link twice as fast makes no number of GPUs slower.
for key in share.h2d.bytes_per_s share.d2h.bytes_per_s; do
	one=$(sed -n "/^\[${key%.bytes_per_s}\]/,/^\[/s/^bytes_per_s = \([^ ]*\) .*/\1/p" "$root/model/platforms/h200x8.ini")
	run="--size 8192 --gpus 8 --border 16 --transport host --platform h200x8"
	twice=$(awk -v one="$one" 'BEGIN { printf "%.17g", 2 * one }')
	[ -s plain.8 ] || answer $run >plain.8
	was=$(cat plain.8)
	is=$(answer $run --set $key=$twice)
	[ "$is" = "$(answer $run --set $key=2x)" ] && echo "$key: one number is 2x"
	[ "$(answer $run --set $key=$one)" = "$was" ] && echo "$key: to itself"
	awk -v was="$was" -v is="$is" 'BEGIN { print (is <= was ? "no slower" : was " became " is) }'
done
refuses warpreel predict rbsor --size 1024 --platform h200x4 --set base.host.barrier_ns=1
refuses warpreel predict rbsor --size 1024 --platform h200x4 --set host.launch_ns=x
