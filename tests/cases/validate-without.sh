# Mechanisms left out by name: the model answers something else, and the same for all processes; other models stay.
printf 'solver\tconfig\tmedian_ns\tmad_ns\nmicro\tkernel=copy4 size=4096\t1000\t1\n' >kernels.tsv
validate() { warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv "$@" >/dev/null; }
validate -o with.tsv
validate -o far.tsv --without l2-far-partition,loaded-latency
validate -o far.3.tsv --without l2-far-partition,loaded-latency --jobs 3 && cmp far.tsv far.3.tsv
validate -o none.tsv --without all
for table in far none; do
	columns model,predicted_us <$table.tsv >$table.answers
	columns model,predicted_us <with.tsv | paste - $table.answers | awk -F '\t' -v table=$table 'NR > 1 { print table, $1, ($2 == $4 ? "the same" : "another") }'
done
refuses warpreel validate --platform h200x4 --without l2-far | sed 's/, atomic.*//; s/there are .*/there are .../'
refuses warpreel validate --without all --fit-intervals
