# The columns others script against; the operations are those of the plan; options that would mean nothing are said to.
warpreel bench --platform "$platform" --seconds 0.01 --iterations 50 --format tsv >table
columns transport,gpus,iterations,operations <table
columns operations_per_s,peak_bytes <table | awk 'NR > 1 { print ($1 > 0 && $2 > 0 ? "measured" : $0) }'
refuses warpreel bench --kernel-model zero
refuses warpreel bench -o timeline.wrt
