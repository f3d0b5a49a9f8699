# No room: a message that names the file, exit 1, nothing half-written left. A file size limit stands in for the full disk.
predicted one.wrt
rm -f one.wrt-*
small() { (trap '' XFSZ; ulimit -f 1; refuses "$@"); }
small warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 512 --iterations 200 -o big.wrt
small warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 512 --iterations 200 -o big.wrt.zst
small warpreel export -o big.json one.wrt
small warpreel dump -o big.txt one.wrt
refuses warpreel dump -o /dev/full one.wrt
echo 'rbsor 1 size=64 iterations=1' >list
refuses warpreel batch list --backend cpu --no-verify -o /dev/full
rm list
warpreel --version >/dev/full; echo "exit $?"
warpreel --help >/dev/full; echo "exit $?"
warpreel info one.wrt >/dev/full; echo "exit $?"
warpreel predict rbsor --platform "$platform" --kernel-model roofline --format tsv >/dev/full; echo "exit $?"
warpreel solve rbsor --backend cpu --size 64 --format tsv >/dev/full; echo "exit $?"
warpreel dump one.wrt >/dev/full; echo "exit $?"
left_behind
