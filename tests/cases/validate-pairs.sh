# The contention set on made-up times; the sums say what the baselines are.
header='pair\ta\tb\ta_calls\ta_launches\tb_calls\tb_launches\ta_alone_ns\tb_alone_ns\tboth_ns\tboth_mad_ns\n'
{
	printf "$header"
	printf 'kernels\tmicro kernel=fma32 size=67584 block=512 work=512\tmicro kernel=copy4 size=4194304\t3\t1\t2\t1\t1000\t3000\t3500\t1\n'
	printf 'copy\tmicro kernel=copy4 size=67108864\tcopy=d2d 67108864\t1\t1\t4\t1\t5000\t4000\t8000\t1\n'
	printf 'copies\tcopy=h2d 1000000\tcopy=d2h 1000000\t1\t1\t1\t1\t2000\t2000\t2500\t1\n'
} >pairs.tsv
validate() { warpreel validate --platform h200x4 --only contention "$@"; }
validate --pairs pairs.tsv -o table.tsv >summary.tsv; echo "exit $?"
columns set,split,model,solver,measured_us <table.tsv
columns model,solver,predicted_us <table.tsv | grep 'max+\|sum+'
# What two take at once lies between the longer and the sum, but for their pauses.
columns model,solver,predicted_us <table.tsv | awk -F '\t' '{ t[$2, $1] = $3; name[$2] } END { for (k in name) if (k != "solver" &&
	(t[k, "warps"] < 0.999 * t[k, "max"] || t[k, "warps"] > 1.001 * t[k, "sum"])) print k ": " t[k, "warps"] }'
columns set,split,model,n <summary.tsv
# A call of twice as many launches takes twice as long by itself: the plan's number of them does not matter, the row's does.
doubled() { # A_LAUNCHES B_LAUNCHES
	{
		printf "$header"
		printf 'kernels\tmicro kernel=fma32 size=67584 block=512 work=512\tmicro kernel=copy4 size=4194304\t3\t%d\t2\t%d\t1000\t3000\t3500\t1\n' $1 $2
	} >doubled.tsv
	validate --pairs doubled.tsv -o "$1.$2.tsv" >/dev/null
	columns model,predicted_us <"$1.$2.tsv" | awk -F '\t' '{ t[$1] = $2 } END { printf "%.2f %.2f\n", t["max"], t["sum"] }'
}
{ doubled 1 1 && doubled 2 1 && doubled 1 2 && doubled 2 2; } | awk '{ max[NR] = $1; sum[NR] = $2 }
	function is(a, b) { return a - b < 0.02 && b - a < 0.02 ? "yes" : a " is not " b }
	END {
		print "both doubled: max " is(max[4], 2 * max[1]) ", sum " is(sum[4], 2 * sum[1])
		print "one and the other: sum " is(sum[2] - sum[1] + sum[3] - sum[1], sum[1])
		print "the longer alone: max " (is(max[2], 2 * max[1]) == "yes" || is(max[3], 2 * max[1]) == "yes" ? "yes" : "no")
	}'
refuses validate --pairs nowhere
printf 'pair\ta\n' >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\ta\tb\t1\t1\t1\t1\t1\t1\t0\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\tcopy=up 1\tcopy=d2d 1\t1\t1\t1\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
{ printf "$header"; printf 'x\tmultigrid size=1\tcopy=d2d 1\t1\t1\t1\t1\t1\t1\t1\t1\n'; } >bad.tsv
refuses validate --pairs bad.tsv
