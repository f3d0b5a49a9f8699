# Programs of others: what replay answers for a part of the recording, against the program's own time.
header='set\tprogram\tgpus\twhat\ttraces\tspan\tname\tdevice\tcount\tmeasured_us\tleast_us\tmost_us\ttraced_us\n'
{
	printf "$header"
	printf 'own\tranges\t4\t200 rounds\tgpu_foreign\trange\twork\t-\t2\t10000\t9000\t11000\t12000\n'
	printf 'own\tboth\t2\t500 steps\tnccl_4096.rank0 nccl_4096.rank1\tkernels\tjacobi\t*\t500\t30000\t29000\t32000\t33000\n'
} >foreign.tsv
warpreel validate --platform h200x4 --only foreign --foreign foreign.tsv -o table.tsv >summary.tsv 2>said; echo "exit $?"
columns set,split,model,solver,config,gpus,measured_us,measured_mad_us,inputs,visit_spread_pct <table.tsv
columns set,split,model,n <summary.tsv
# What a program reports that times each of its ranges: the median of them.
warpreel replay "$root/traces/data/h200x4/foreign/gpu_foreign.wrt.zst" --platform h200x4 --range work --ranges --format tsv 2>/dev/null |
	columns range,predicted_us | awk -F '\t' '$1 == "work" { print $2 }' | sort -n >ranges
columns model,solver,predicted_us <table.tsv | awk -F '\t' '
	NR == FNR { us[++n] = $1; next }
	$1 == "default" && $2 == "ranges" { median = (us[int((n + 1) / 2)] + us[int(n / 2) + 1]) / 2
		print n, "ranges,", ($3 - median < 0.002 && median - $3 < 0.002 ? "their median" : $3 " of " median) }' ranges -
# A part that is not there, a recording that is not there, a table that is none.
{ printf "$header"; printf 'own\tx\t1\t-\tsingle_gpu_2048\tkernels\tjacobi\t1\t1000\t1\t1\t1\t1\n'; } >bad.tsv
refuses warpreel validate --platform h200x4 --only foreign --foreign bad.tsv 2>&1 | grep -v 'never recorded'
{ printf "$header"; printf 'own\tx\t1\t-\tgpu_foreign\trange\tnowhere\t-\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses warpreel validate --platform h200x4 --only foreign --foreign bad.tsv 2>&1 | sed "s/'[^']*gpu_foreign/'gpu_foreign/; s/; there.*//"
{ printf "$header"; printf 'own\tx\t1\t-\tgone\trange\tnowhere\t-\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses warpreel validate --platform h200x4 --only foreign --foreign bad.tsv 2>&1 | sed "s/'[^']*gone/'gone/"
{ printf "$header"; printf 'own\tx\t1\t-\t \trange\tnowhere\t-\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses warpreel validate --platform h200x4 --only foreign --foreign bad.tsv
printf 'set\tprogram\n' >bad.tsv
refuses warpreel validate --platform h200x4 --only foreign --foreign bad.tsv
refuses warpreel validate --platform h100x1 --only foreign --foreign nowhere.tsv
refuses warpreel validate --platform h200x4 --only foreign --solver rbsor
