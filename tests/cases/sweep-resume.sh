# A sweep that is stopped goes on where it was: no row twice, none lost, the same table from one process and from two.
cat >grid.ini <<'END'
[sweep]
gpus = 1 2 4
[rbsor]
size = 64..256+8
transport = peer host
iterations = 8
END
sweep() { warpreel sweep grid.ini --platform "$platform" --kernel-model roofline "$@"; }
sweep -o whole.tsv --jobs 1
for k in 1 2 3 4 5; do
	# The program itself, not a shell that waits for it.
	(exec "${warpreel:?}" sweep grid.ini --platform "$platform" --kernel-model roofline -o parts.tsv --jobs 2) & sleep 0.0$k
	kill -9 $!
	wait $!
done 2>/dev/null # the shell says of its own, now or later, who was killed
sweep -o parts.tsv --jobs 2; echo "exit $?"
cmp whole.tsv parts.tsv && echo "the same table"
tail -n +2 parts.tsv | wc -l
# Again: nothing is left to do, and a table that was lost is written anew.
rm parts.tsv
sweep -o parts.tsv
cmp whole.tsv parts.tsv && echo "the same table"
# What was asked before is not what is asked now: what is not in a table yet is not thrown away, and what was answered in full is begun anew.
sqlite3 parts.tsv.sweep "DELETE FROM row WHERE point = 7"
sed -i 's/^iterations = 8/iterations = 9/' grid.ini
refuses sweep -o parts.tsv
cmp whole.tsv parts.tsv && echo "the table stays"
sweep -o whole.tsv; echo "exit $?"
columns iterations,answered <whole.tsv | sort | uniq -c | sed 's/^ *//'
# A sweep that was killed while it wrote leaves the store's journal, or a table's beginning.
left_behind | grep -v -- '-journal$\|\.part-'
