# How a folder of recordings scales: time, speed-up, efficiency, and the knee.
mkdir runs empty
for gpus in 1 2 4; do predicted runs/as$gpus.wrt --gpus $gpus; done
echo "not a trace" >runs/notes.txt
warpreel replay runs --platform "$platform"
warpreel replay runs --platform "$platform" --scaling weak | tail -n 1
warpreel replay runs --platform "$platform" --format tsv | columns gpus,virtual,bound_by,file
refuses warpreel replay empty --platform "$platform"
refuses warpreel replay runs --platform "$platform" --gpus 2
cp runs/as2.wrt runs/again.wrt
refuses warpreel replay runs --platform "$platform"
# Of programs of several processes: a folder for each number of GPUs.
mkdir -p series/as2 series/notes
cp "${root:?}"/traces/data/h200x4/foreign/nccl_4096.rank?.wrt.zst series/as2
warpreel replay series --platform h200x4 --format tsv 2>/dev/null | columns gpus,virtual,file
refuses warpreel info series
refuses warpreel check series
# One recording under two names is one process, not two.
mkdir twins && cp "${root:?}/traces/data/h200x4/foreign/streams_torch.wrt.zst" twins/a.wrt.zst && cp twins/a.wrt.zst twins/b.wrt.zst
refuses warpreel replay twins
