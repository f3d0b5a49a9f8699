# No GPU is needed to refuse: numbers of GPUs, and programs without a shared CUDA runtime.
refuses warpreel record --as-gpus 0 -o run.wrt -- true
refuses warpreel record --as-gpus 65 -o run.wrt -- true
refuses warpreel record --as-gpus many -o run.wrt -- true
cp /bin/true linked_in
printf 'cudaGetDriverEntryPoint%s' ByVersion >>linked_in
refuses warpreel record --as-gpus 2 -o run.wrt -- ./linked_in
export WARPREEL_RECORDER=$warpreel WARPREEL_VIRTUAL=nothing.so
refuses warpreel record --as-gpus 2 -o run.wrt -- true
left_behind
refuses warpreel record --as-gpus 1,2, -o run.wrt -- true
refuses warpreel record --as-gpus 2,4,2 -o run.wrt -- true
# A folder gets a folder for each number, which must hold no traces.
mkdir -p runs/as2
touch runs/as2/rank0.1.wrt
refuses warpreel record --as-gpus 2,4 -o runs/ -- true
refuses warpreel record --as-gpus 2 -o runs/as2 -- true
# What the command finds: how many, a file that its processes share, and the devices shown so far.
WARPREEL_VIRTUAL=$(ldd /bin/sh | awk '/libc\./ { print $3 }')
# shellcheck disable=SC2016 # its own shell expands them
CUDA_VISIBLE_DEVICES=3 refuses warpreel record --as-gpus 2 -o run.wrt -- \
	sh -c 'echo "$WARPREEL_AS_GPUS GPUs, [$WARPREEL_VISIBLE_BEFORE] visible"; test -w "$WARPREEL_RANKS" && echo shared'
