# A number that no model looks at can be set, and it is said that nothing changes, and which key it is instead.
core() { warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 512 --gpus 2 --format tsv "$@" | columns core_us | tail -n 1; }
was=$(core)
for set in device.l2_bytes=1000000 device.sm_mhz=4000 device.memory_mhz=1 host.launch_first_ns=0; do
	[ "$was" = "$(core --set $set 2>said)" ] && echo "$set: the same"
	cat said
done
core --set device.memory_bytes=1e12 2>&1 | grep -c warning # is looked at
core --set platform.source=datasheet 2>&1 | grep -c warning
# Nor does it ask for the model that looks at the device's inside.
warpreel replay "$tests/cases/lib/foreign.wrt.zst" --platform "$tests/cases/lib/sm.ini" --set sm.l1_bytes=1 --format tsv 2>said | columns kernel_model
