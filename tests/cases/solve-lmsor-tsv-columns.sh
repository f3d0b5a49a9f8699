# The common columns, then the family's own; strips give what one GPU gives.
warpreel solve lmsor --size 66 --tolerance 1e-3 --gpus 3 --border 2 --format tsv >table
head -n 1 table | cut -f 1-9,17-
columns solver,config,gpus,iterations,real_points,imaginary_points <table | tail -n 1
warpreel solve lmsor --size 66 --tolerance 1e-3 --check device --kernel 1 --format tsv >one
columns iterations,checksum,max_u,residual <table >three; columns iterations,checksum,max_u,residual <one | cmp - three && echo "as one GPU"
warpreel solve lmsor --size 66 --tolerance 1e-3 --kernel persistent --format tsv >whole
columns iterations,checksum,max_u,residual <whole | cmp - three && echo "as one launch"
