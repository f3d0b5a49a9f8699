# The index of the shipped profiles is what the files give; without files, with a command, over an input: no index.
cd "${root:?}/traces/data/h200x4/kernels" && warpreel profile -o "${here:?}/index.tsv" --index ./*.wrt.zst && cmp index.tsv "$here/index.tsv" && echo "the index is of these files"
cd "$here" || exit
refuses warpreel profile -o new.tsv --index
refuses warpreel profile -o new.tsv --index --join index.tsv
refuses warpreel profile -o new.tsv --index index.tsv -- true
refuses warpreel profile -o new.tsv --index index.tsv
refuses warpreel profile -o index.tsv --index index.tsv
left_behind
