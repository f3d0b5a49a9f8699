echo 'rbsor two size=64' >list
refuses warpreel batch list --backend cpu
echo 'rbsor 16 size=64' >list
refuses warpreel batch list --backend cpu --gpus 8
echo 'rbsor 99 size=64' >list
refuses warpreel batch list --backend cpu
echo 'multigrid 1 size=64' >list
refuses warpreel batch list --backend cpu
refuses warpreel batch nowhere
refuses warpreel batch list --backend cpu -o /nowhere/rows.tsv
left_behind
# Lines at fault, whatever it is, cost the others nothing.
cat >list <<'END'
rbsor 1 size=64 iterations=3
foo 1 size=64
rbsor
rbsor 1 size=64 colour=red
rbsor 1 size=64x66 iterations=3
END
refuses warpreel batch list --backend cpu --repeat 1 -o rows.tsv
columns solver,config <rows.tsv
# A visit is a column.
refuses warpreel batch list --backend cpu --visit $'a\tb'
refuses warpreel batch list --backend cpu --visit $'a\n'
refuses warpreel batch list --backend cpu --visit ''
refuses warpreel time micro --backend cpu --visit $'a\tb'
