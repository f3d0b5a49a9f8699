# Programs recorded on one GPU as if there were two ask the same of them as on two, operation for operation.
virtual=${root:?}/traces/data/h200x4/virtual
for recording in "$virtual"/*.wrt.zst; do
	name=$(basename "$recording" .wrt.zst)
	case $name in nccl_*|all_reduce_*|*_as4) continue ;; esac # NCCL's own set-up is in those on two
	echo "$name: $(warpreel compare --operations "$recording" "$root/traces/data/h200x4/foreign/$name.wrt.zst" 2>/dev/null | tail -n 1)"
done
echo "solvers on four: $(warpreel compare --operations "$virtual/solvers_as4.wrt.zst" "$root/traces/data/h200x4/foreign/solvers_four.wrt.zst" 2>/dev/null | tail -n 1)"
# A process a GPU: joined, each with a device of its own number on the one GPU, and as many launches, NCCL's as operations.
mkdir nccl true torch
cp "$virtual"/nccl_4096.rank?.wrt.zst nccl
cp "$virtual"/all_reduce_torch.*.wrt.zst torch
cp "$root"/traces/data/h200x4/foreign/nccl_4096.rank?.wrt.zst true
for run in nccl torch; do
	warpreel info $run | sed -n '1p; /^  virtual_/p; /WARPREEL_LINK/p'
	warpreel check $run | awk '$1 > 0 || /complete/'
	warpreel replay $run --platform h200x4 2>/dev/null | sed -n '/note:.*\(NCCL\|processes\|as if\)/p' | cut -c 1-60
done
warpreel compare --operations nccl true 2>/dev/null | awk '/^launch/ { print $1, $2, $3 } /^device sync/ { print $1, $2, $3, $4 }'
# Besides what NCCL does for itself, it is the same; and not the other way round.
warpreel compare --operations nccl true 2>/dev/null | tail -n 1
warpreel compare --operations true nccl 2>/dev/null | tail -n 1
