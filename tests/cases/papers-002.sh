# What a published table comes to. Counts do not depend on the machine; times here are made up.
warpreel papers 002 --table counts --format tsv
echo
config() { echo "size=$1 problem=$2 re=10 omega=$3 kernel=$4 check=every border=1 transport=peer tolerance=1e-06 max-iterations=20000${5-}"; }
{
	printf 'solver\tconfig\tgpus\titerations\tcore_us\ttotal_us\tcore_mad_us\tvisit\n'
	printf 'lmsor\t%s\t1\t500\t10000\t12000\t1\tX\n' "$(config 402 2 as-run 2)"
	printf 'lmsor\t%s\t1\t500\t30000\t14000\t1\tY\n' "$(config 402 2 as-run 2)"
	printf 'lmsor\t%s\t1\t100\t80000\t90000\t1\tX\n' "$(config 402 2 as-run rows ' iterations=100')"
	printf 'lmsor\t%s\t1\t20000\t90000\t91000\t1\tX\n' "$(config 402 1 corrected tuned4)"
} >measured.tsv
printf 'solver\tconfig\tmedian_ns\tmad_ns\nlmsor\t%s\t100000\t1\n' "$(config 4002 2 as-run 2)" >kernels.tsv
papers() { warpreel papers 002 --measured measured.tsv --kernels kernels.tsv "$@"; }
papers -o all && ls all
# Two visits, a part of a run on the host, a run that gave up.
columns size,device,kernel,iterations_published,iterations_measured,execution_s_published,execution_s_measured,computation_s_measured <all/table4.tsv | grep '^size\|^402'
columns size,device,kernel,melem_per_s_published,melem_per_s_measured,speedup_published,speedup_measured <all/table4.tsv | grep '^size\|^402'
columns problem,size,published,as-run,eq9,corrected,agrees <all/counts.tsv | grep '^problem\|	402'
columns device,kernel,time_us_published,time_us_measured,read_mb_published,gb_per_s_published,melem_per_s_published,melem_per_s_measured <all/table2.tsv
columns device,kernel,registers_published,occupancy_published,occupancy_simulated <all/table2.tsv | grep gtx480
# Errors are what they say, and each comparison is in the list: 18, 3, 9 and 5 of the GTX 480, 5 of the C2050, three that are measured here.
awk -F '\t' 'NR > 1 { n[$1]++; error = 100 * ($9 / $8 - 1); if (error - $10 > 0.2 || $10 - error > 0.2) print "not the error: " $0 }
	END { print n["gtx480"], n["c2050"], n["h200x4"] }' all/errors.tsv
columns device,table,n <all/summary.tsv
# A part of the device that is made ideal saves less than all the time.
awk -F '\t' 'NR > 1 { for (i = 7; i <= NF; i++) if ($i <= -100) print "lifted: " $0 } END { print NR - 1, "sweeps,", NF - 6, "parts" }' all/bounds.tsv
# One table alone has the same bytes as among all.
papers --table table2 --format tsv | diff - all/table2.tsv && echo same
sed 's/[-+.0-9][-+.0-9]*/N/g; s/  */ /g' all/summary.md | head -n 3
# A machine nothing was measured on.
warpreel papers 002 --platform h200x8 --table ranking --format tsv | columns device,size,published_or_measured,agrees | grep h200x8
