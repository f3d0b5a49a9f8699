# The shipped trace of a program that knows nothing of warpreel (tests/gpu_foreign.cu): events used again, peer copies, a graph
# captured and launched, launches that fail on purpose. Nothing of it is missing, and it replays without a warning.
trace=$root/traces/data/h200x4/foreign/gpu_foreign.wrt.zst
warpreel check "$trace" | awk '$1 > 0 || NF == 2 { sub(/.*\//, ""); print }'
warpreel info --format tsv "$trace" | awk -F '\t' '$1 == "rows" && $3 > 0 { print $2, $3 }'
warpreel replay "$trace" --platform "$root/model/platforms/h200x4.ini" --format tsv | columns solver,config,gpus,kernel_model,operations
# What a graph does replays with its launch: all kernels of the trace are in the time line of the answer.
warpreel replay "$trace" --platform "$root/model/platforms/h200x4.ini" -o answer.wrt --format tsv >/dev/null
warpreel info --format tsv answer.wrt | awk -F '\t' '$1 == "rows" && ($2 == "kernel" || $2 == "memcpy" || $2 == "memset") { print $2, $3 }'
