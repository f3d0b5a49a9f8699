# What the validation page sums up by visit: configurations of that visit alone, in the tool's own answer.
{
	printf 'solver\tconfig\tgpus\tcore_us\tvisit\n'
	printf 'rbsor\tsize=%s\t%d\t100\t%s\n' 10x10 1 X 20x20 2 X 20x20 2 X 30x30 4 X 40x40 1 A 40x40 1 X 50x50 1 A 30x30 4 A 10x10 2 Y
} >measured.tsv
{
	printf 'set\tsplit\tmodel\tsolver\tconfig\tgpus\tmeasured_us\tpredicted_lo_us\tpredicted_hi_us\terror_pct\n'
	printf 'size\tholdout\tdefault\trbsor\tsize=10x10\t1\t100\t90\t100\t-5\n'
	printf 'gpus\tholdout\tdefault\trbsor\tsize=20x20\t2\t100\t101\t110\t6\n'
	printf 'gpus\tholdout\tdefault\trbsor\tsize=30x30\t4\t100\t99\t101\t1\n'
	printf 'size\tholdout\twarps\trbsor\tsize=10x10\t1\t100\t90\t110\t90\n'      # another model
	printf 'size\tholdout\tdefault\trbsor\tsize=40x40\t1\t100\t90\t110\t90\n'    # first on another one
	printf 'size\tfit\tdefault\trbsor\tsize=50x50\t1\t100\t90\t110\t90\n'        # of another one
	printf 'replay\tholdout\tdefault\trbsor\tsize=10x10\t1\t100\t90\t110\t9\n'   # an answer of its own
	printf 'kernels\tholdout\twarps\tmicro\tsize=7\t1\t100\tnan\tnan\t-3\n'
	printf 'kernels\tholdout\twarps\tmicro\tsize=8\t1\t100\tnan\tnan\t90\n'        # of another visit
	printf 'kernels\tholdout\troofline\tmicro\tsize=7\t1\t100\tnan\tnan\t90\n'
	printf 'gpus\tholdout\tdefault\trbsor\tsize=10x10\t2\t100\t90\t110\t-2\n'
} >table.tsv
{
	printf 'solver\tconfig\tkernel\tvisit\n'
	printf 'micro\tsize=%d\tk\t%s\n' 7 X 8 A
} >kernels.tsv
sh "$root/docs/validation_blind.sh" table.tsv measured.tsv kernels.tsv X Y Z | grep '^|'
sh "$root/docs/validation_blind.sh" table.tsv measured.tsv none.tsv Z | wc -l
