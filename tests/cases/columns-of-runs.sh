# What configurations say, as columns: of a file, of standard input, of programs of others; and what is no table of runs.
{
	printf 'solver\tconfig\tgpus\tcore_us\n'
	printf 'rbsor\tsize=12x20 border=2 kernel=paper\t2\t1.5\n'
	printf 'lmsor\tsize=66 iterations=3\t1\t2.5\n'
	printf 'torch\tbatch=32\t1\t3.5\n'
} >runs.tsv
warpreel columns runs.tsv
warpreel columns --of size,kernel,problem - <runs.tsv
warpreel columns --of canonical -o with.tsv runs.tsv
cut -f 5 with.tsv
warpreel columns --of options runs.tsv | cut -f 5
printf 'solver\tconfig\npatches\tpatches=12x16 block=8.4.2\npatches\tpatches=2.1.1*16\n' | warpreel columns --of count,side,block_cells,block -
# The rows that were there are as they were.
cut -f 1-4 with.tsv | cmp - runs.tsv && echo same
printf '# a comment\nsolver\tconfig\nrbsor\tsize=9\n' | warpreel columns -
refuses warpreel columns
refuses warpreel columns --of , runs.tsv
refuses warpreel columns --of core_us runs.tsv
refuses warpreel columns -o runs.tsv runs.tsv
refuses warpreel columns nowhere.tsv
printf 'solver\tgpus\n' | refuses warpreel columns -
printf 'solver\tconfig\nrbsor\tsize=9\nrbsor\tsize=9 colour=red\n' | refuses warpreel columns -
printf 'solver\tconfig\tgpus\nrbsor\tsize=9\t0\n' | refuses warpreel columns -
printf 'solver\tconfig\nrbsor\n' | refuses warpreel columns -
