# The indices that ship are what the files beside them give; without files, of others, over an input: no index.
for folder in "${root:?}"/traces/data/*/kernels "$root"/traces/data/*/profile; do
	[ -d "$folder" ] || continue
	of=${folder##*/}
	[ "$of" = kernels ] || of=records
	cd "$folder" && warpreel index -o "${here:?}/index.tsv" --of $of ./*.wrt.zst && cmp index.tsv "$here/index.tsv" && echo "the index of $of is of these files"
done
cd "$here" || exit
refuses warpreel index -o new.tsv
refuses warpreel index index.tsv
refuses warpreel index -o new.tsv --of kernels index.tsv
refuses warpreel index -o new.tsv --of records index.tsv
refuses warpreel index -o index.tsv index.tsv
left_behind
