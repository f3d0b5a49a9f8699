# The fourth paper: what needs no run, then runs on two machines from a made-up table of measurements.
warpreel papers 004 --table table4 --format tsv | columns k,n,measured_published_ms,with_printed_word_ms,with_implied_word_ms,with_timer_reg_ms
warpreel papers 004 --table occupancy --format tsv | columns threads,blocks,occupancy_published,occupancy
warpreel papers 004 --table figure3_8 --format tsv | awk -F '\t' '$1 == "threads" && $4 == 1 { print "full at", $2 }'
warpreel papers 004 --table partitions --format tsv | awk -F '\t' 'NR > 1 { n[$1 "\t" $NF]++ } END { for (k in n) print k "\t" n[k] }' | sort
# A law fitted from one machine is tested on others; timer-reg is off by thousands wherever it is fitted.
warpreel papers 004 --table regression --format tsv | awk -F '\t' 'NR > 1 { n[$7]++; if ($3 == "timer-reg" && $9 < 1e4) print "not off: " $0 } END { for (k in n) print k "\t" n[k] }' | sort
header='solver\tconfig\tgpus\titerations\tcore_us\ttotal_us\tcore_mad_us\tvisit\n'
run() { printf 'rbsor\tsize=%dx%d precision=f32 kernel=paper scheme=exact border=1 transport=%s iterations=100\t%d\t100\t%s\t%s\t1\tX\n' "$1" "$1" "$2" "$3" "$4" "$5"; }
{ printf "$header"; run 512 peer 1 700 900; run 512 host 2 3000 3100; run 512 host 4 5000 5200; run 512 peer 4 2900 3000; run 1024 host 2 4000 4100; } >measured.tsv
papers() { warpreel papers 004 --measured measured.tsv "$@"; }
papers --table closed_rows --format tsv | columns gpus,config,iteration_us,shared_error_pct
papers --table closed --format tsv | columns gpus,transport,iteration_us,runs
papers --table appendix --format tsv | columns device,n,gpus,total_s_measured,core_s_measured | grep '	512	'
# Workers exchange both borders of a part at once: never slower than one after the other.
papers --table figure5_24 --format tsv | awk -F '\t' 'NR > 1 { n[$1]++; slower += $7 < 0.995 } END { for (d in n) print d, n[d]; print "slower", slower + 0 }' | sort
# Larger than the memory of a GPU: no answer. Nothing takes less than its kernels.
papers --table figure6_9 --format tsv >a && awk -F '\t' '$1 == "c1060" && $2 >= 44000 { print $2, $4, $5 != "-" }' a
papers --table closed_rows --format tsv >b && papers --table closed_rows --format tsv | cmp - b && echo "the same again"
refuses warpreel papers 004 --published x
refuses warpreel papers 004 --table figure9_9
