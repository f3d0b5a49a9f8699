# Kernels alone, on the host: one row, then a list.
table=solver,config,kernel,path,grid,block,launches,repeats,sm_mhz,visit,backend
positive() { awk -F '\t' 'NR > 1 && !($8 > 0 && $9 >= 0 && $10 <= $8 && $8 <= $11) { print "times of row " NR - 1 ": " $0 }'; }
warpreel time micro --kernel fma64 --size 1000 --block 64 --work 5 --backend cpu --repeat 3 --visit here >rows.tsv; echo "exit $?"
columns $table <rows.tsv
positive <rows.tsv
cat >list <<'END_OF_LIST'
# comment
rbsor 1 size=100x300 precision=f64 iterations=20
micro 1 kernel=transpose size=70 block=128   # comment
micro 1 kernel=atomics size=1000 iterations=20
END_OF_LIST
warpreel time --list list -o out.tsv --backend cpu --repeat 2; echo "exit $?"
columns $table <out.tsv
positive <out.tsv
# The same list is one of batch.
warpreel batch list --backend cpu --repeat 1 --iterations 2 | columns solver,config,iterations
left_behind
