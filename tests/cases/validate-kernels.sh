# The kernels set on made-up times, one of them of a launch whose counts are left out; what each row read is named without its folder.
rbsor="precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=20" paper="precision=f64 kernel=paper scheme=exact border=1 transport=peer iterations=20"
{
	printf 'solver\tconfig\tmedian_ns\tmad_ns\n'
	printf 'micro\tkernel=copy4 size=4096\t1000\t1\n'
	printf 'rbsor\tsize=514x514 %s\t2000\t1\n' "$paper"
} >kernels.tsv
warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv -o table.tsv >/dev/null
columns solver,split,model,inputs <table.tsv
for jobs in 1 3; do
	warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv --jobs $jobs -o table.$jobs >/dev/null && cmp table.tsv table.$jobs && echo "the same bytes with --jobs $jobs"
done
# Without the counts of that launch warps says something else; with them in, nothing else, as where a row to fit by launches the same.
compared() { # TABLE
	columns config,model,predicted_us <"$1" | awk -F '\t' '$2 == "warps" { warps[$1] = $3 }
		$2 == "warps-uncounted" { split($1, word, " "); print word[1] ": " (warps[$1] == $3 ? "as with its counts" : "without its counts") }'
}
compared table.tsv
{ cat kernels.tsv && printf 'rbsor\tsize=514x514 %s\t2000\t1\n' "${paper%20}10"; } >again.tsv
warpreel validate --platform h200x4 --only kernels --kernels again.tsv -o again.table >/dev/null
compared again.table
# A row is a period, not a kernel: what is between two launches is in it, whatever the model.
periods() { # NS [OPTION...]
	period=$1
	shift
	warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv --set "sm.launch_period_ns=$period" "$@" -o "table.$period" >/dev/null
	columns solver,model,predicted_us <"table.$period"
}
periods 2000 >shorter
periods 5000 >longer
paste shorter longer | awk -F '\t' 'NR > 1 { printf "%s %s: %.2f us more\n", $1, $2, $6 - $3 }'
periods 5000 --set sm.launch_ns=0 >whole
paste longer whole | awk -F '\t' '$2 == "roofline" { print (($6 - $3) > 0.1 ? "and without the launch itself" : "with the launch itself") }'
# A launch of a kernel that nobody profiled has no row of warps, which is said; the others have theirs.
{
	printf 'rbsor\tsize=512x512 %s\t2000\t1\n' "$(echo "$rbsor" | sed 's/tuned/persistent/')"
	printf 'mlssor\tsize=1026x1026 subdomain=8x8 layers=4 sweeps=alternating kernel=ahead threads=64 transport=peer input=1 omega=1.25 iterations=96\t2000\t1\n'
} | cat kernels.tsv - >none.tsv
warpreel validate --platform h200x4 --only kernels --kernels none.tsv -o none.table >/dev/null
columns config,model <none.table | awk -F '\t' '/persistent|ahead/ { split($1, word, " "); print word[1], $2 }'
rm none.tsv none.table
