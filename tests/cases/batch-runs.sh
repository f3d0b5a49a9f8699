# Every timed run, a row each: a row of the other table has the median of them; and what cannot be.
printf 'poisson 1 size=64 objects=1 scheme=graph steps=7 host-sync=3\nbfs 1 vertices=50 edges=90\n' >list
warpreel batch list --backend cpu --repeat 3 --runs runs.tsv -o rows.tsv
columns solver,run,iterations <runs.tsv
awk -F '\t' 'NR == FNR { if (FNR > 1) median[$2] = $6; next } FNR > 1 { n[$2]++; below[$2] += $6 < median[$2]; above[$2] += $6 > median[$2] }
	END { for (k in n) if (n[k] != 3 || below[k] > 1 || above[k] > 1) print "no median: " k }' rows.tsv runs.tsv
refuses warpreel batch list --backend cpu --runs same.tsv -o ./same.tsv
refuses warpreel batch list --backend cpu --runs list
refuses warpreel batch list --backend cpu --runs nowhere/runs.tsv
left_behind
