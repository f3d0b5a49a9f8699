# A program that is none of our solvers: an export without our tables. It replays, on changed platforms too; it cannot be planned anew.
trace=$tests/cases/lib/foreign.wrt.zst
warpreel replay "$trace" --platform "$platform" --format tsv | columns solver,config,gpus,kernel_model,operations
core() { warpreel replay "$trace" --platform "$platform" --format tsv "$@" | columns core_us | tail -n 1; }
awk -v a="$(core)" -v b="$(core --set host.copy_h2d_ns=20000)" 'BEGIN { print (b > a ? "dearer calls, longer run" : a " " b) }'
refuses warpreel replay "$trace" --gpus 4 --platform "$platform"
refuses warpreel replay "$trace" --run 0 --platform "$platform"
refuses warpreel replay "$trace" --platform "$platform" --kernel-model roofline
refuses warpreel replay "$trace" --platform "$platform" --kernel-model scaled
