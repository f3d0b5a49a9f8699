# Multi-layer SSOR: Table III by arithmetic, Table II against what was counted, figures from shipped times.
warpreel papers 000 --table table3 --format tsv
warpreel papers 000 --table table2 --format tsv | columns input,method,layers_published,forward_published
warpreel papers 000 --table table2 --format tsv | awk -F '\t' 'NR > 1 && $1 < 3 && $2 ~ /^MLSSOR/ { if ($1 == input && $5 + 0 >= before) print "not in the order of the paper: " $0; before = $5 + 0; input = $1 }'
warpreel papers 000 -o all && ls all
# A time to convergence is layers times their time, and the best stands first.
awk -F '\t' 'NR > 1 { e = $6 / ($4 * $5 / 1000) - 1; if (e > 0.01 || e < -0.01) print "not the product: " $0 }' all/figure5.tsv all/figure7.tsv
awk -F '\t' 'NR > 1 { if ($8 + 0 < before) print "not in order: " $0; before = $8 + 0 } END { print NR - 1, "places" }' all/figure9.tsv
# So is a speed-up on one and two GPUs: the layers of each times their time.
awk -F '\t' 'NR > 1 && $7 > 0 { f = $7 * $5 / $6; if (!f0[$4]) f0[$4] = f; e = f / f0[$4] - 1; n++; if (e > 0.01 || e < -0.01) print "not the quotient: " $0 } END { print n, "speed-ups" }' all/two_gpus.tsv
# Errors are what they say.
awk -F '\t' 'NR > 1 { n++; e = 100 * ($3 / $2 - 1) - $4; if (e > 0.2 || e < -0.2) print "not the error: " $0 } END { print n, "blind runs" }' all/blind.tsv
refuses warpreel papers 000 --published x
refuses warpreel papers 000 --table table1
