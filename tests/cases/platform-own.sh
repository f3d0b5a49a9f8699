# A platform file under another name, as calibrate writes one, finds the kernel profiles of its device; of another device those of one
# that runs the same code, which is said; where there is none it is told how.
sed 's/^name = h200x4/name = here/' "$root/model/platforms/h200x4.ini" >here.ini
same() {
	"$@" --platform h200x4 --format tsv | columns core_us,kernel_model,extrapolated >shipped
	"$@" --platform here.ini --format tsv | columns core_us,kernel_model,extrapolated >own
	cmp shipped own && echo "the same answer"
}
same warpreel predict rbsor --gpus 4
same warpreel replay "$root/traces/data/h200x4/replay/rbsor.wrt.zst" --gpus 2
warpreel predict rbsor --platform here.ini | grep note
warpreel predict rbsor --platform h200x4 | grep note
warpreel explain rbsor --platform here.ini >own
warpreel explain rbsor --platform h200x4 | sed "s/'h200x4'/'here'/" | cmp - own && echo "the same explanation"
sed 's/^name = NVIDIA H200/name = Other Device/' here.ini >other.ini
warpreel predict rbsor --platform other.ini | grep note
warpreel explain rbsor --platform other.ini | grep -c duration
warpreel replay "$root/traces/data/h200x4/replay/rbsor.wrt.zst" --gpus 2 --platform other.ini | grep -c "core loop  "
printf '[interval]\nbelow = 0.04\nabove = 0.05\nruns = 20\n' | cat other.ini - >verified.ini
warpreel predict rbsor --platform verified.ini | grep "note: .*interval"
sed -i 's/^isa = .*/isa = sm_00/' other.ini
refuses warpreel predict rbsor --platform other.ini
sed 's/^name = here/&\nkernels = h200x4/' other.ini >named.ini
warpreel predict rbsor --platform named.ini --format tsv | columns kernel_model | tail -n 1
