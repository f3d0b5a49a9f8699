# A kernel nothing is known of, a GPU count the platform lacks, an unknown model, an unknown platform.
refuses warpreel predict rbsor --platform "$platform" --size 64
refuses warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 640 --gpus 16
refuses warpreel predict rbsor --platform "$platform" --kernel-model guess --size 64
refuses warpreel predict rbsor --platform nowhere --size 64
refuses warpreel predict rbsor --platform . --size 64
warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 640 --gpus 16 --allow-extrapolation --format tsv |
	columns gpus,extrapolated | tail -n 1
# Naming more GPUs measures none of them.
for gpus in 4 16; do
	warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 640 --gpus $gpus --set device.gpus=1000 --format tsv |
		columns gpus,extrapolated | tail -n 1
done
# The last GPU that was measured is; the next is not.
for gpus in 8 9; do
	warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 640 --gpus $gpus --allow-extrapolation --format tsv |
		columns gpus,extrapolated | tail -n 1
done
# A grid that no GPU there can hold.
refuses warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 4096 --set device.memory_bytes=1e6
warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 4096 --set device.memory_bytes=1e6 --allow-extrapolation --format tsv |
	columns gpus,kernel_model | tail -n 1
# What lacks a profile is bounded where no model was asked for; the model that wants one refuses, and the other does not.
refuses warpreel predict micro --platform h200x4 --kernel-model warps
warpreel predict micro --platform h200x4 --kernel-model roofline --format tsv | columns solver,kernel_model | tail -n 1
# Options of a model that does not answer are refused, not left out. (Pauses between kernels come from --profile whatever the model.)
for model in roofline zero scaled; do
	refuses warpreel predict rbsor --platform "$platform" --size 64 --kernel-model $model --strict
	refuses warpreel predict rbsor --platform "$platform" --size 64 --kernel-model $model --kernel-profiles "$tests/cases/lib/profile.wrt.zst"
done
predicted one.wrt
refuses warpreel replay one.wrt --platform "$platform" --profile one.wrt
refuses warpreel replay one.wrt --platform "$platform" --profile one.wrt --kernel-model recorded
warpreel replay one.wrt --platform "$platform" --profile one.wrt --kernel-model roofline --format tsv | columns kernel_model
warpreel predict rbsor --platform nowhere 2>&1 | sed 's/.*(//; s/).*//; s/, /\n/g' | sort -c && echo "the shipped ones in their order"
# A record of blocks of 64 threads says nothing of blocks of 16, one of 8 x 8 tiles nothing of 12 x 12.
form() { refuses warpreel predict mlssor --platform h200x4 --kernel-model scaled --kernel full --form plain --planes centred "$@"; }
form --size 2050 --subdomain 8 --threads 16
form --size 2054 --subdomain 12
# Unasked it is the counts that are missing.
refuses warpreel predict mlssor --platform h200x4 --kernel full --form plain --planes centred --size 2054 --subdomain 12
warpreel predict mlssor --platform h200x4 --kernel-model scaled --kernel full --form plain --planes centred --size 2054 --subdomain 12 --allow-extrapolation --format tsv |
	columns gpus,extrapolated | tail -n 1
