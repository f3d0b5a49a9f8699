# Blocks, sets, operators and ways that cannot be.
for options in '--patches 2x4 --block 8' '--patches 1x20+1x8.4.8 --block 8' '--patches 64' '--patches 2x16,3x8' '--patches 1.1.1*8+1@1.0.0:4' \
	'--patches 1.1.1*8+2@0.0.0:4' '--patches 1.1.1*8+0@4.4.4:8' '--gpus 3 --patches 2x16' '--block 8.8' '--block 0' '--block 80 --patches 1x96' \
	'--stencil 5.9,-1,-1,-1' '--stencil 5,-1,-1,-1' '--stencil 6,-1,-1' '--stencil 6.1,-1,-1,-1' '--stencil nan,1,1,1' '--kernel gemm --patches 1x20' \
	'--kernel gemm --method chaotic' '--kernel gemv-split --method chaotic' '--kernel gemv-c --block 16.16.8' '--kernel cpu-patch --block 32' \
	'--kernel cpu-block --method lexicographic' '--transfer each' '--transfer each --order depth --ghost reflect' \
	'--transfer each --order depth --patches 2.1.1*16' '--use cg --kernel gemv-c' '--use vcycle --patches 2.1.1*16' '--method gauss' '--kernel fast' \
	'--kernel sine-steps' '--kernel sine-steps --patches 1x16 --method chaotic' '--kernel sine-steps --patches 2.1.1*16' \
	'--kernel sine-steps --patches 1x16 --ghost reflect'; do
	# shellcheck disable=SC2086
	refuses warpreel solve patches $options
done
refuses warpreel predict patches --kernel-model roofline --platform "$platform" --kernel cpu-block
# A set that a GPU does not hold.
refuses warpreel predict patches --kernel-model roofline --platform "$platform" --patches 30000x64
