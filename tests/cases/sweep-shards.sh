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
# A file of a stranger: what no sweep writes is refused, and nothing that a terminal obeys comes out.
altered() { # SQL
	cp whole.tsv.sweep altered.sweep
	sqlite3 altered.sweep "$1"
	refuses warpreel sweep --merge altered.sweep -o three.tsv
}
altered "UPDATE sweep SET shard = 0, shards = 0"
altered "UPDATE sweep SET shards = -1"
altered "UPDATE sweep SET points = 1000000000000000"
altered "UPDATE row SET point = -3 WHERE point = 1"
altered "DROP TABLE sweep; CREATE VIEW sweep AS SELECT '' AS definition, 1 AS points, 1 AS shard, 1 AS shards"
cp whole.tsv.sweep altered.sweep
sqlite3 altered.sweep "UPDATE row SET config = char(27) || '[2J' || char(9) || char(10) || config"
warpreel sweep --merge altered.sweep -o three.tsv --best gpus | columns config
head -n 2 three.tsv | columns config
