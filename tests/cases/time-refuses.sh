# A line that cannot be timed costs a warning and the exit code, not the others.
cat >list <<'END_OF_LIST'
micro 1 kernel=copy4 size=100
micro 1 kernel=nothing size=100
micro 1 kernel=copy4 size=0

micro 1 kernel=copy4 block=96
micro 1 kernel=copy4 work=3
micro 1 kernel=strided work=4000
micro 1 kernel=transpose size=2000000
micro 1 kernel=stencil size=200000 block=64
micro 2 kernel=copy4
micro two kernel=copy4
multigrid 1 size=64
rbsor 1 size=2
micro 1 colour=red
micro 1 kernel=gather size=100
END_OF_LIST
refuses warpreel time --list list --backend cpu --repeat 1 -o out.tsv
columns solver,config <out.tsv
refuses warpreel time micro --kernel nothing --backend cpu
refuses warpreel time micro --size 0 --backend cpu
refuses warpreel time micro --work 9 --backend cpu
refuses warpreel time micro --list list --backend cpu
refuses warpreel time --backend cpu
refuses warpreel time multigrid
refuses warpreel time --list nowhere --backend cpu
refuses warpreel time --list list --backend cpu -o /nowhere/rows.tsv
refuses warpreel solve micro --gpus 2
refuses warpreel time lmsor --backend cpu --size 102 --kernel openmp
