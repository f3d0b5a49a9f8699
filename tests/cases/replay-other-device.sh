# A run replayed on a device it was not recorded on: kernels from the device's inside where all have profiles, else as recorded, and it says so.
warpreel replay "${root:?}/traces/data/h200x4/replay/rbsor.wrt.zst" --platform h100 --format tsv 2>/dev/null | columns kernel_model,extrapolated | tail -n 1
warpreel replay "${root:?}/traces/data/h200x4/foreign/gpu_foreign.wrt.zst" --platform h100 --format tsv 2>messages.txt | columns kernel_model,extrapolated | tail -n 1
grep -o "has no profile: kernels last as long as they were recorded, on another device than 'h100'" messages.txt
warpreel replay "${root:?}/traces/data/h200x4/replay/rbsor.wrt.zst" --platform h200x4 --format tsv 2>/dev/null | columns kernel_model,extrapolated | tail -n 1
# What nobody knows has no interval: a C1060 would be said to be as fast as an H200, within 15 %.
warpreel replay "${root:?}/traces/data/h200x4/foreign/gpu_foreign.wrt.zst" --platform c1060 2>/dev/null | grep -o -e "no interval   EXTRAPOLATED" -e "how long they are on .* is not known"
warpreel replay "${root:?}/traces/data/h200x4/foreign/gpu_foreign.wrt.zst" --platform c1060 --format tsv 2>/dev/null | columns core_lo_us,core_hi_us | tail -n 1
# NCCL's kernels use the links themselves, and last as long as they did.
for link in "" "--set nvlink.bytes_per_s=0.1x" "--link h200x8"; do
	warpreel replay "${root:?}/traces/data/h200x4/foreign/nccl_4096.rank0.wrt.zst" --platform h200x4 $link 2>&1 >/dev/null | grep -c "kernel 'ncclDevKernel_SendRecv' moves bytes between GPUs itself"
done
# Whose device it is is told by the recording, not by whose records serve the platform: as recorded, and nothing is said of another device.
zstd -dqf "${root:?}/traces/data/h200x4/foreign/gpu_foreign.wrt.zst" -o mine.wrt
sqlite3 mine.wrt "UPDATE TARGET_INFO_GPU SET name = '$(sed -n 's/^name = \(NVIDIA .*\)/\1/p' "${root:?}/model/platforms/h100x1.ini")'"
warpreel replay mine.wrt --platform h100x1 --host h200x4 --format tsv 2>messages.txt | columns kernel_model,core_lo_us | sed 's/[0-9.]*$/known/' | tail -n 1
grep -c "another device" messages.txt || true
