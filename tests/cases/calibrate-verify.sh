# The width of intervals that runs on the machine itself give: measured on the cpu machine, predicted for a GPU, so wide.
sed 's/^name = h200x4$/name = here/' "$root/model/platforms/h200x4.ini" | grep -v '^input_visits' >here.ini
for size in 64 96 128 160 192; do
	echo "rbsor 1 size=${size}x$size precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=4"
done >runs.list
echo "rbsor 8 size=64x64 precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=4" >>runs.list
note() { warpreel predict rbsor --platform here.ini --size 1024 | grep "note: .*\(run\|interval\)\|90 %" | sed 's/[0-9][0-9.]*/N/g'; }
note
cp here.ini before.ini
warpreel calibrate --verify here.ini --backend cpu --list runs.list 2>&1 | cut -f 1,2,6 | sed 's/are .* %/are W/'
grep -A 12 '^\[interval\]' here.ini | sed 's/-*[0-9][0-9.]*\(e-[0-9]*\)*$/N/; s/^# \(date\|command\).*/# \1/'
diff before.ini here.ini | grep -c '^<'
note
# The same of a device that no shipped profile was counted on.
sed 's/^name = NVIDIA H200/name = Other Device/' before.ini >other.ini
warpreel calibrate --verify other.ini --backend cpu --list runs.list 2>&1 | tail -n 1 | sed 's/are .* %/are W/'
warpreel predict rbsor --platform other.ini --size 1024 | grep "note: "
# Too few say nothing, and change nothing.
cp here.ini before.ini
head -n 2 runs.list >few.list
refuses warpreel calibrate --verify here.ini --backend cpu --list few.list | tail -n 2
cmp before.ini here.ini && echo unchanged
echo "rbsor many size=64x64" >bad.list
refuses warpreel calibrate --verify here.ini --backend cpu --list bad.list
refuses warpreel calibrate --verify here.ini --backend cpu --list none.list
refuses warpreel calibrate --verify none.ini --backend cpu
refuses warpreel calibrate --verify here.ini -o other.ini
refuses warpreel calibrate -o other.ini --list runs.list
# Without a GPU no run comes about.
WARPREEL_CUDA=nothing.so refuses warpreel calibrate --verify here.ini --list few.list | tail -n 2
