# What launches took alone scales what is played of their kernels: written from a table of kernels alone, read by predict and validate.
printf 'solver\tconfig\tmedian_ns\tmad_ns\n' >kernels.tsv
for size in 4096 65536 1048576; do printf 'micro\tkernel=copy4 size=%s\t9000\t1\n' $size; done >>kernels.tsv
validate() { warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv "$@" >/dev/null; }
validate --write-timed timed.tsv
cut -f 1-5 timed.tsv
# Each row is scaled by the others, never by itself.
validate --timed timed.tsv -o rows.tsv
columns model,inputs <rows.tsv | awk '$1 ~ /warps/ { print $1, (/,timed.tsv,/ ? "by the table" : "as played") }' | sort | uniq -c | sed 's/^ *//'
columns model,predicted_us <rows.tsv | awk '$1 == "warps" { played = $2 } $1 == "warps-timed" { print ($2 > played ? "longer" : "not longer") }'
# A run whose kernel took four times as long as played, once as if timed often.
run() { warpreel predict rbsor --platform h200x4 --kernel paper --size 2048 --format tsv "$@" | columns kernel_model,kernel_us | tail -n 1; }
points=2097152 block=112x1x1
header='kernel\tpath\tblock\tpoints\tmeasured_ns\tplayed_ns\tdevice\n'
# shellcheck disable=SC2059 # tabs
{
	printf "$header# four times, and 18 of 19 votes\n"
	for _ in 1 2 3 4 5 6 7 8 9; do printf 'rbsor_paper_f32\t-1\t%s\t%s\t4000\t1000\tNVIDIA H200\n' "$block" "$points"; done
} >slow.tsv
{ run --timed none; run --timed slow.tsv; run --timed "$PWD/slow.tsv"; } | awk '{ print $1 } NR == 1 { played = $2 } NR > 1 { printf "%.2f times\n", $2 / played }'
# The shipped table is asked unless it is left out, profiles are given, or the device is another; of a kernel that is not in it nothing changes.
[ "$(run)" = "$(run --timed h200x4)" ] && [ "$(run)" != "$(run --timed none)" ] && echo "the shipped table has a say"
[ "$(run --timed none)" = "$(run --timed timed.tsv)" ] && echo "another kernel's has none"
[ "$(run --timed none)" = "$(run --kernel-profiles "$root/traces/data/h200x4/kernels/kernels.wrt.zst")" ] && echo "nor has it where profiles are given"
[ "$(run --timed none --set device.name=another)" = "$(run --set device.name=another)" ] && echo "nor on another device"
warpreel predict rbsor --platform h200x4 --kernel paper --size 2048 | grep 'timed alone'
warpreel predict rbsor --platform h200x4 --kernel paper --size 2048 --timed none | grep 'timed alone'
warpreel predict rbsor --platform h200x8 --kernel paper --size 2048 | grep 'timed alone'
# A calibrated file of such a device, too: it finds profiles by the device's name, and the table beside them.
sed 's/^name = h200x4/name = here/' "$root/model/platforms/h200x4.ini" >here.ini
warpreel predict rbsor --platform ./here.ini --kernel paper --size 2048 | grep 'timed alone'
# Answers as played are less sure, and their interval says so.
wide() { warpreel predict rbsor --platform h200x4 --kernel paper --size 8192 --format tsv "$@" | columns core_us,core_lo_us,core_hi_us | awk 'NR == 2 { print ($3 - $2) / $1 }'; }
echo "$(wide) $(wide --timed none)" | awk '{ print ($2 > 1.1 * $1 ? "as played the interval is wider" : "as wide: " $0) }'
# Of another device it is refused.
refuses warpreel predict rbsor --platform h100x1 --size 2048 --timed h200x4
warpreel predict rbsor --platform h100x1 --size 2048 --timed h200x4 --allow-extrapolation --format tsv | columns kernel_model
# What is not a table, or asked of a model that does not look at it.
refuses warpreel predict rbsor --platform h200x4 --size 2048 --timed nowhere
refuses warpreel predict rbsor --platform h200x4 --size 2048 --timed ./nowhere.tsv
refuses warpreel predict rbsor --platform h200x4 --size 2048 --timed kernels.tsv
# shellcheck disable=SC2059 # tabs
printf "$header" >empty.tsv
refuses warpreel predict rbsor --platform h200x4 --size 2048 --timed empty.tsv
for line in 'a\t0\t1x1x1\t0\t1\t1\tG' 'a\t0\t1x1x1\t1\t0\t1\tG' 'a\t0\t1x1x1\t1\t1\t-1\tG' 'a\t0\t1x1x1\t1\t1\tnan\tG' 'a\t0\t1x1x1\t1\t1\tinf\tG' 'a\t0\t1x1x1\t1\t1e308\t1e-308\tG' \
	'a\t0\t1x1x1\t1\t1\t1\tG\t1' 'a\t0\t1x1x1\t1\t1\t1' '\t0\t1x1x1\t1\t1\t1\tG' 'a\t-2\t1x1x1\t1\t1\t1\tG' 'a\t4294967296\t1x1x1\t1\t1\t1\tG' 'a\t0\t1x1\t1\t1\t1\tG' 'a\t0\t1x1x0\t1\t1\t1\tG' \
	'a\t0\t1x1x1x1\t1\t1\t1\tG' 'a\t0\t9999999999x1x1\t1\t1\t1\tG' 'a\t0\t1x1x1\t1\t1\t1\tG\na\t0\t1x1x1\t1\t1\t1\tanother GPU'; do
	# shellcheck disable=SC2059 # tabs
	{ cat empty.tsv; printf "$line\n"; } >bad.tsv
	refuses warpreel predict rbsor --platform h200x4 --size 2048 --timed bad.tsv
done
refuses warpreel predict rbsor --platform h200x4 --size 2048 --kernel-model zero --timed timed.tsv
refuses warpreel validate --platform h200x4 --only runs --write-timed new.tsv
refuses warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv --timed timed.tsv --write-timed timed.tsv
refuses warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv --write-timed nowhere/new.tsv
# The shipped table is what the program plays today, as far as some configurations show.
awk -F '\t' 'NR == FNR { if (FNR % 230 == 5) wanted[$2]; next } FNR == 1 || $2 in wanted' "$root/traces/data/h200x4/kernels.tsv" \
	"$root/traces/data/h200x4/kernels.tsv" >some.tsv
warpreel validate --platform h200x4 --only kernels --kernels some.tsv --timed none --write-timed some_timed.tsv >/dev/null 2>&1
awk 'NR > 1' some_timed.tsv | grep -c .
grep -vxFf "$root/model/timed/h200x4.tsv" some_timed.tsv || echo "all are in the shipped table"
left_behind | grep part || echo 'nothing is left behind'
