# Programs recorded on one GPU as if there were two ask the same of them as on two, operation for operation.
for recording in "${root:?}"/traces/data/h200x4/virtual/*.wrt.zst; do
	name=$(basename "$recording" .wrt.zst)
	echo "$name: $(warpreel compare --operations "$recording" "$root/traces/data/h200x4/foreign/$name.wrt.zst" 2>/dev/null | tail -n 1)"
done
