predicted one.wrt --gpus 2
predicted four.wrt --gpus 4
warpreel compare one.wrt one.wrt --format tsv >same
awk -F '\t' 'NR > 1 && $NF + 0 != 0 { bad = 1; print } END { if (!bad) print (NR > 2 ? "no difference with itself" : "nothing compared") }' same
warpreel compare one.wrt four.wrt --format tsv | head -n 1
refuses warpreel compare one.wrt nowhere.wrt
