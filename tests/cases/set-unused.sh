# What the kernel model that answers does not look at is said, always.
predict() { warpreel predict rbsor --size 1024 --platform h200x4 "$@" >answer; }
predict --kernel-model scaled --set device.sm_count=10
predict --kernel-model roofline --set sm.l1_miss_bytes=2x
predict --kernel-model zero --set device.dram_gb_per_s=1000
predict --set memory.copy_bytes_per_s=2x
warpreel replay "${root:?}/traces/data/h200x4/foreign/streams_torch.wrt.zst" --kernel-model recorded --set device.sm_count=100 >answer
warpreel replay "${root:?}/traces/data/h200x4/foreign/streams_torch.wrt.zst" --strict >answer
for option in "--set host.launch_ns=1" "--platform h200x4" "--kernel-model warps" "-o x"; do
	refuses warpreel predict poisson --co-simulate $option
done
# What only recordings are answered by, and only those of other programs.
predict --set host.shared_cores=1
predict --set tracer.event_part=0.5
warpreel replay "$root/traces/data/h200x4/replay/crossing.wrt.zst" --run 0 --set host.shared_cores=1 >answer
warpreel replay "$root/traces/data/h200x4/foreign/streams_torch.wrt.zst" --kernel-model recorded --set host.shared_cores=1 --set tracer.event_part=0.5 >answer
# What it does look at is taken in silence.
predict --kernel-model roofline --set memory.copy_bytes_per_s=2x
predict --kernel-model warps --set device.sm_count=100
