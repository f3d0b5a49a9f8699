echo 'rbsor two size=64' >list
refuses warpreel batch list --backend cpu
echo 'rbsor 16 size=64' >list
refuses warpreel batch list --backend cpu --gpus 8
echo 'multigrid 1 size=64' >list
refuses warpreel batch list --backend cpu
refuses warpreel batch nowhere
refuses warpreel batch list --backend cpu -o /nowhere/rows.tsv
left_behind
