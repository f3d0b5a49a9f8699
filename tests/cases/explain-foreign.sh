# Kernels that nobody here wrote, from their own profile: what bounds them, how long a replay takes, and a faster device.
data=$root/traces/data/h200x4/foreign
with="--platform h200x4 --kernel-profiles $data/transpose_profile.wrt.zst"
# shellcheck disable=SC2086 # words
warpreel explain "$data/transpose.wrt.zst" $with --no-bounds >said
grep -c '  duration ' said
sed -n '/^transposeNaive/,/warps. time/p' said | grep -o '134.22 MB written\|L2 [78][0-9] %'
sed -n '/^transposeDiagonal/,/memory/p' said | grep -o '0 % of it to DRAM, which nobody counted.*'
# shellcheck disable=SC2086
naive() { warpreel explain "$data/transpose.wrt.zst" $with --no-bounds --format tsv "$@" | awk -F '\t' '$2 == "transposeNaive" && $7 == "nothing" { print $8 }'; }
awk -v as_is="$(naive)" -v wide="$(naive --set sm.l2_write_bytes_per_s=9.5e12)" 'BEGIN { print wide < as_is ? "a wider L2 helps" : "it does not help: " as_is " " wide }'
# shellcheck disable=SC2086
warpreel replay "$data/transpose.wrt.zst" $with --kernel-model warps 2>/dev/null | grep -o 'kernel model warps'
refuses warpreel replay "$data/adam.wrt.zst" $with --kernel-model warps
rm said
left_behind
