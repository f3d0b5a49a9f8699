# Two processes of one run, a GPU each, in a folder: joined, checked, played together; and what cannot be.
data=$root/traces/data/h200x4/foreign
mkdir run mixed
cp "$data"/nccl_4096.rank?.wrt.zst run
# Figures and where ranges lie are left out.
answer() { warpreel replay "$@" 2>/dev/null | sed -n 's/[0-9][0-9.]* us.*/T/; /^program\|^  core loop \|note:/p'; }
warpreel info run | sed -n '1,3p; /TARGET_INFO/p'
warpreel check run | tail -n 1
answer run --platform h200x4 --range 'Jacobi solve#-2'
# As far apart as one process is from itself: a link that is slower, and the other one's ranges alone.
core() { warpreel replay run --platform h200x4 --format tsv "$@" 2>/dev/null | columns core_us,hypothetical | tail -n 1; }
same=$(core --range 'Jacobi solve#-2' | cut -f 1)
core --range 'Jacobi solve#-2' --set nvlink.bytes_per_s=4e9 | awk -F '\t' -v same="$same" '{ print ($1 > same ? "slower" : "not slower"), $2 }'
core --range 'Jacobi solve#-1' --range-process 20681 | awk -F '\t' -v same="$same" '{ print ($1 < same * 1.1 && $1 > same * 0.9 ? "alike" : $1 " and " same), $2 }'
# A prediction has both processes, too, and its kernels meet again.
warpreel replay run --platform h200x4 -o predicted.wrt >/dev/null 2>&1
warpreel dump predicted.wrt | awk -F '\t' '$1 == "kernel" { seen[$8 / 16777216 " on GPU " $4]++ } END { for (s in seen) print s, seen[s] }' | sort
warpreel check predicted.wrt | tail -n 1
answer predicted.wrt --platform h200x4
warpreel export --to chrome -o out.json run && grep -c '"name":"process_name"' out.json
# One process alone: its kernels meet nobody.
answer run/nccl_4096.rank0.wrt.zst --platform h200x4
refuses warpreel replay run --platform h200x4 --gpus 4
cp "$data"/single_gpu_2048.wrt.zst mixed
cp run/* mixed
refuses warpreel replay mixed --platform h200x4
rm mixed/*rank1*
refuses warpreel info mixed
mkdir alone
cp run/nccl_4096.rank0.wrt.zst alone/a.wrt.zst
warpreel replay alone --platform h200x4 --format tsv 2>/dev/null | columns gpus,file
