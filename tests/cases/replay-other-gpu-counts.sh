# --gpus plans the solver that made the trace anew: the same answer as predicting that run from nothing.
predicted one.wrt
for gpus in 1 2 4 8; do
	warpreel replay one.wrt --gpus $gpus --platform "$platform" --kernel-model roofline --format tsv >replayed
	warpreel predict rbsor --size 512 --iterations 8 --gpus $gpus --platform "$platform" --kernel-model roofline --format tsv >planned
	cmp replayed planned && echo "$gpus GPUs: the same"
done
refuses warpreel replay one.wrt --run 7 --platform "$platform"
refuses warpreel replay one.wrt --gpus 300 --platform "$platform"
predicted tall.wrt --size 66x512
refuses warpreel replay tall.wrt --gpus 64 --platform "$platform"
