# A machine nobody measured is marked, and its interval is that of machines left out, never the narrower one of the measured machine.
answer() { warpreel predict rbsor --format tsv "$@" 2>err | columns core_us,core_lo_us,core_hi_us,extrapolated,hypothetical | tail -n 1; cat err; }
width() { answer "$@" | awk -F '\t' '{ printf "%.4f %s\n", ($3 - $2) / $1, $5 }'; }
for set in device.sm_count=264 sm.dram_read_bytes_per_s=2x host.launch_ns=1.5x; do
	{ width --size 4096 --platform h200x4; width --size 4096 --platform h200x4 --set $set; } |
		awk -v set=$set 'NR == 1 { was = $1; print set ": " $2 } NR == 2 { print ($1 > was ? "wider" : "as wide") ": " substr($0, index($0, " ") + 1) }'
done
{ width --size 4096 --gpus 4 --platform h200x4; width --size 4096 --gpus 4 --platform h200x4 --set nvlink.bytes_per_s=2x; } | awk 'NR == 1 { was = $1 } NR == 2 { print ($1 > was ? "wider" : "as wide") }'
# More GPUs than were measured together; a value set to what it is; a number that no model looks at.
answer --size 1024 --gpus 8 --platform h200x4 --set device.gpus=8 | cut -f 4-5
answer --size 1024 --platform h200x4 --set host.launch_ns=1x | cut -f 4-5
answer --size 1024 --platform h200x4 --set device.l2_bytes=1 | cut -f 4-5
# The same edit in a file, which has the shipped platform's name.
sed 's/^sm_count = 132/sm_count = 264/' "${root:?}/model/platforms/h200x4.ini" >h200x4.ini
answer --size 4096 --platform ./h200x4.ini | cut -f 4-5
warpreel predict rbsor --size 4096 --platform ./h200x4.ini | grep 'never measured\|HYPOTHETICAL'
warpreel predict rbsor --size 1024 --platform ./h200x4.ini -o p.wrt >/dev/null && warpreel info p.wrt | grep hypothetical
# A measurement taken out of the file, and what finer ones were measured with changed.
sed '/^loop_launch_ns = /d' "$root/model/platforms/h200x4.ini" >h200x4.ini
warpreel predict rbsor --size 1024 --gpus 4 --platform ./h200x4.ini | grep 'never measured'
sed '/^\[base.nvlink\]/,$s/^bytes_per_s = .*/bytes_per_s = 1e9/' "$root/model/platforms/h200x4.ini" >h200x4.ini
warpreel predict rbsor --size 1024 --gpus 4 --platform ./h200x4.ini | grep 'never measured'
# Profiles that are of no platform.
refuses warpreel predict rbsor --size 1024 --platform h200x4 --set platform.kernels=nosuch
refuses warpreel predict rbsor --size 1024 --platform h200x4 --set platform.data=nosuch
