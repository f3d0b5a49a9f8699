# Shards share nothing; together they are the whole.
cat >grid.ini <<'END'
[sweep]
gpus = 1 2
[rbsor]
size = 64..200+8
iterations = 4
END
sweep() { warpreel sweep grid.ini --platform "$platform" --kernel-model roofline "$@"; }
sweep -o whole.tsv
for k in 1 2 3; do sweep --shard $k/3 -o part$k.tsv; done
wc -l <part2.tsv
warpreel sweep --merge part1.tsv.sweep --merge part3.tsv.sweep --merge part2.tsv.sweep -o all.tsv; echo "exit $?"
cmp whole.tsv all.tsv && echo "the same table"
refuses warpreel sweep --merge part1.tsv.sweep --merge part3.tsv.sweep -o two.tsv
refuses warpreel sweep --merge part1.tsv.sweep --merge part1.tsv.sweep -o two.tsv
refuses warpreel sweep --merge part1.tsv.sweep --merge whole.tsv.sweep -o two.tsv
refuses warpreel sweep --merge nowhere.sweep -o two.tsv
refuses warpreel sweep --merge grid.ini -o two.tsv
refuses warpreel sweep --merge part1.tsv.sweep
refuses sweep --shard 2/3 -o part1.tsv
refuses sweep --shard 4/3
refuses sweep --shard 1/3x
sed -i 's/^iterations = 4/iterations = 5/' grid.ini
sweep --shard 2/3 -o other.tsv
refuses warpreel sweep --merge part1.tsv.sweep --merge other.tsv.sweep --merge part3.tsv.sweep -o two.tsv
ls two.tsv* 2>/dev/null
