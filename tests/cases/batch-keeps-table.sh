# A list of which nothing could be run replaces no table; one of which something could is one. A key twice in a line is refused.
printf 'rbsor 0 size=64x64\n' >none.list
printf 'rbsor 1 iterations=2 size=64x64 size=66x66\n' >twice.list
{ cat none.list && printf 'rbsor 1 iterations=2 size=64x64\n'; } >one.list
for command in "batch" "time --list"; do
	for list in none twice one; do
		echo "what was before" >table.tsv
		refuses warpreel $command $list.list --backend cpu --repeat 1 -o table.tsv
		head -n 1 table.tsv | cut -f 1
		find . -name '*so-far*'
	done
done
