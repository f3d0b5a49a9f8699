# The published iteration counts at the smallest size, by the paper's CPU program and by the one of today; see tests/lmsor_counts.tsv.
WARPREEL=$warpreel sh "$root/tests/lmsor_counts.sh" -s 402-402 --kernel rows
WARPREEL=$warpreel sh "$root/tests/lmsor_counts.sh" -s 402-402 --kernel openmp --check device
