# Sets of patches are planned on any number of GPUs they can be dealt to, patch by patch or at once.
for options in '--patches 2.2.2*16 --ghost reflect' '--patches 6x16+2x32 --kernel gemv-c --method chaotic --order depth --transfer each' \
	'--patches 8x16 --kernel gemm' '--patches 8x16 --kernel gemv-split --order breadth' '--patches 8x16 --kernel sine-steps'; do
	for gpus in 1 2 4; do
		# shellcheck disable=SC2086
		warpreel predict patches --platform "$platform" --kernel-model roofline --gpus $gpus --block 8 $options --format tsv |
			columns config,gpus,operations | tail -n 1
	done
done
refuses warpreel predict patches --platform "$platform" --kernel-model roofline --block 3 --patches 2x12
refuses warpreel predict patches --platform "$platform" --kernel-model roofline --gpus 3 --patches 2x12
refuses warpreel predict patches --platform "$platform" --kernel-model roofline --method lexicographic
refuses warpreel predict patches --platform "$platform" --kernel-model roofline --use cg
