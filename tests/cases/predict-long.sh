# A run of any length is answered in a moment: its iterations repeat, and the answer says how many were played and how far off that may be.
ask() { warpreel predict "$@" --platform "$platform" --allow-extrapolation --kernel-model roofline; }
short() { grep -E 'core loop  |played' | sed 's/   90 %.*//'; }
# In half a gigabyte of addresses, but for a build with sanitizers, which cannot even begin in so few.
limit() { ulimit -S -v 500000; warpreel --version >/dev/null 2>&1 || ulimit -S -v unlimited; }
( limit; ask rbsor --size 512 --gpus 8 --iterations 1000000 | short )
ask rbsor --size 512 --iterations 1000000000 | short
ask lmsor --size 402 --gpus 2 --check 1000 --iterations 1000000 | short
# A short run says nothing of it, and is the same with and without.
ask rbsor --size 512 --gpus 4 --iterations 200 >played
ask rbsor --size 512 --gpus 4 --iterations 200 --no-skip | cmp - played && grep -c played played
# A trace has all rows or is not made.
refuses ask rbsor --size 512 --gpus 8 --iterations 1000000 -o long.wrt
refuses ask rbsor --size 512 --gpus 8 --iterations 1000000000 --no-skip
# What is recorded and claims 10^9 iterations is planned anew for other numbers of GPUs, so no longer than others.
predicted one.wrt --gpus 2
sqlite3 one.wrt "update WARPREEL_RUN set config = replace(config, 'iterations=8', 'iterations=1000000000')"
warpreel replay one.wrt --gpus 4 --platform "$platform" --kernel-model roofline --allow-extrapolation | short
left_behind
# What is left out is of the core loop: the total is longer by what stands around that (it was shorter by 72 us).
"$warpreel" predict rbsor --size 4096 --gpus 8 --platform h200x8 --iterations 1000000 --format tsv | awk -F '\t' 'NR == 2 { around = $7 - $4; print (around > 500 && around < 1100) ? "total after core" : $4 " in " $7 }'
