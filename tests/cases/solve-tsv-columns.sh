# The columns others script against, in their order, and the canonical configuration string.
warpreel solve rbsor --backend cpu --size 100x70 --gpus 2 --iterations 4 --repeat 3 --format tsv >table
head -n 1 table | cut -f 1-9
columns solver,config,gpus,iterations,checksum <table | tail -n 1
awk -F '\t' 'NR == 2 { print NF, ($6 > 0 && $7 >= $6 && $8 >= 0 ? "times in order" : $0) }' table
wc -l <table
