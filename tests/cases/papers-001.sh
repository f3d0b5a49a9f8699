# A second paper: cells are counted, times of its GPU simulated from the device file, and each error is what it says.
warpreel papers 001 -o all 2>said && ls all
columns set,cells_published,cells_counted <all/table2.tsv
columns device,gflops_published,gflops_device_file <all/table1.tsv
awk -F '\t' 'NR > 1 && $9 != "-" { n++; longer = $7 > $8 ? $7 : $8; error = 100 * ($9 / $5 - 1)
	if ($9 != longer || error - $10 > 0.4 || $10 - error > 0.4) print "not the error: " $0 } END { print n, "simulated" }' all/errors.tsv
columns device,n <all/summary.tsv
warpreel papers 001 --table figure7 --format tsv 2>/dev/null | diff - all/figure7.tsv && echo same
printf 'solver\tconfig\tgpus\titerations\tcore_us\ttotal_us\tcore_mad_us\tvisit\npatches\t%s\t1\t3\t1500000\t1600000\t1\tX\n' \
	'patches=96x64 block=8.8.8 method=jacobi kernel=gemv-c ghost=zero order=depth iterations=3 transfer=each streams=8' >measured.tsv
warpreel papers 001 --measured measured.tsv --table figure7 --format tsv 2>/dev/null | columns set,published_s,measured_s
refuses warpreel papers 001 --table figure9
