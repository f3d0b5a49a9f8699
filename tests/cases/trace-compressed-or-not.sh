# The same trace whether compressed or not, and the same bytes every time.
predicted one.wrt --gpus 4
predicted two.wrt.zst --gpus 4
warpreel dump one.wrt >one.txt
warpreel dump two.wrt.zst >two.txt
warpreel dump -o three.txt one.wrt
cmp one.txt two.txt && cmp one.txt three.txt && echo same
zstd -q -d two.wrt.zst -o unpacked.wrt
warpreel dump unpacked.wrt | cmp - one.txt && echo "same unpacked by zstd"
awk 'END { print (NR > 500 ? "many rows" : NR) }' one.txt
