# The contention set on made-up times; the sums say what the baselines are.
header='pair\tsplit\ta\tb\ta_calls\ta_launches\tb_calls\tb_launches\ta_alone_ns\tb_alone_ns\tboth_ns\tboth_mad_ns\n'
{
	printf "$header"
	printf 'kernels\tfit\tmicro kernel=fma32 size=67584 block=512 work=512\tmicro kernel=copy4 size=4194304\t3\t1\t2\t1\t1000\t3000\t3500\t1\n'
	printf 'copy\tholdout\tmicro kernel=copy4 size=67108864\tcopy=d2d 67108864\t1\t1\t4\t1\t5000\t4000\t8000\t1\n'
	printf 'copies\tfit\tcopy=h2d 1000000\tcopy=d2h 1000000\t1\t1\t1\t1\t2000\t2000\t2500\t1\n'
} >pairs.tsv
validate() { warpreel validate --platform h200x4 --only contention "$@"; }
validate --pairs pairs.tsv -o table.tsv >summary.tsv; echo "exit $?"
columns set,split,model,solver,measured_us <table.tsv
columns model,solver,predicted_us <table.tsv | grep 'max+\|sum+'
# What two take at once lies between the longer and the sum, but for their pauses.
columns model,solver,predicted_us <table.tsv | awk -F '\t' '{ t[$2, $1] = $3; name[$2] } END { for (k in name) if (k != "solver" &&
	(t[k, "warps"] < 0.999 * t[k, "max"] || t[k, "warps"] > 1.001 * t[k, "sum"])) print k ": " t[k, "warps"] }'
columns set,split,model,n <summary.tsv
refuses validate --pairs nowhere
printf 'pair\tsplit\n' >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\tfit\ta\tb\t1\t1\t1\t1\t1\t1\t0\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\ttest\ta\tb\t1\t1\t1\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\tfit\tcopy=up 1\tcopy=d2d 1\t1\t1\t1\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\tfit\tmultigrid size=1\tcopy=d2d 1\t1\t1\t1\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
