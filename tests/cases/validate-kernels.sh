# The kernels set on made-up times, one of them of a launch that is held out; what each row read is named without its folder.
rbsor="precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=20"
{
	printf 'solver\tconfig\tmedian_ns\tmad_ns\n'
	printf 'micro\tkernel=copy4 size=4096\t1000\t1\n'
	printf 'rbsor\tsize=514x514 %s\t2000\t1\n' "$rbsor"
} >kernels.tsv
warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv -o table.tsv >/dev/null
columns solver,split,model,inputs <table.tsv
for jobs in 1 3; do
	warpreel validate --platform h200x4 --only kernels --kernels kernels.tsv --jobs $jobs -o table.$jobs >/dev/null && cmp table.tsv table.$jobs && echo "the same bytes with --jobs $jobs"
done
