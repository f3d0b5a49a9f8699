# Pairs on the host: one, then a list; a bad line costs a warning and the exit code, not the others.
table=pair,a,b,a_launches,b_launches,repeats,sm_mhz,visit,backend
# Every time is there. How long they are is the machine's business, but for what no load turns round: the arithmetic
# takes three hundred times a copy of 4 KiB, and both together no less than the longer. The median of five keeps a pause out.
timed() { awk -F '\t' 'NR > 1 && !($4 >= 1 && $8 >= 1 && $6 > 0 && $10 > 0 && $7 >= 0 && $12 > 0) { print "times of row " NR - 1 ": " $0 }'; }
warpreel time --pair "micro kernel=fma64 size=1000 block=64 work=5" --with "copy=h2d 4096" --backend cpu --repeat 5 --visit here >rows.tsv; echo "exit $?"
columns $table <rows.tsv
timed <rows.tsv
awk -F '\t' 'NR > 1 { print ($6 / $4 > 5 * $10 / $8 ? "longer alone" : "not longer: " $0), ($12 > 3 * $10 ? "and both" : "but both: " $0) }' rows.tsv
cat >list <<'END_OF_LIST'
# comment
first: micro kernel=copy4 size=1000 | rbsor size=100x300 iterations=20   # comment

second: copy=d2d 4096 | copy=d2h 100
END_OF_LIST
warpreel time --pairs list -o out.tsv --backend cpu --repeat 2; echo "exit $?"
columns $table <out.tsv
timed <out.tsv
cat >bad <<'END_OF_LIST'
micro kernel=copy4 size=100
none: micro kernel=copy4 size=100
: copy=d2d 100 | copy=d2d 100
more words: copy=d2d 100 | copy=d2d 100
nowhere: copy=up 100 | copy=d2d 100
nothing: copy=d2d 0 | copy=d2d 100
trailing: copy=d2d 100 bytes | copy=d2d 100
kernel: copy=d2d 100 | micro kernel=nothing
solver: multigrid size=64 | copy=d2d 100
good: copy=d2d 100 | copy=d2d 200
END_OF_LIST
refuses warpreel time --pairs bad --backend cpu --repeat 1 -o bad.tsv
columns pair,a,b <bad.tsv
refuses warpreel time --pairs nowhere --backend cpu
refuses warpreel time --pair "copy=d2d 100" --backend cpu
refuses warpreel time --pairs list --list list --backend cpu
refuses warpreel time micro --pairs list --backend cpu
left_behind
