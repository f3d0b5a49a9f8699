# Of a recorded program: each launch once, as replay prices it; kernels without profile are said; a program that has none is refused.
data=$root/traces/data/h200x4
warpreel explain "$data/replay/rbsor.wrt.zst" --platform h200x4 --no-bounds >said
echo "$(grep -c "  grid " said) launches"
warpreel explain "$data/replay/rbsor.wrt.zst" --platform h200x4 --no-bounds --format tsv | awk -F '\t' 'NR > 1 { print NF, $6 }' | sort | uniq -c | awk '{ print $2, $3 }'
refuses warpreel explain "$data/foreign/burger_512.wrt.zst" --platform h200x4
refuses warpreel explain ./no-such.wrt
refuses warpreel explain "$data/replay/rbsor.wrt.zst" another
rm said
left_behind
