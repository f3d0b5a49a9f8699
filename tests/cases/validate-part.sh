# Runs of one solver, and what is answered unasked: rows of the whole table, byte for byte, and no others. In a root of its own, whose replay traces are predicted.
rbsor="size=1024x1024 precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=10"
lmsor="size=402 problem=1 re=10 omega=as-run kernel=1 check=device border=1 transport=peer tolerance=1e-06 max-iterations=20000 iterations=10"
{
	printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n'
	for gpus in 1 2; do
		printf 'rbsor\t%s\t%d\t%d\t1\n' "$rbsor" $gpus $((400 / gpus + 50))
		printf 'lmsor\t%s\t%d\t%d\t1\n' "$lmsor" $gpus $((300 / gpus + 50))
	done
} >measured.tsv
printf 'platform\tset\tgpus\tconfig\tsplit\tcounts\n*\truns\t*\t*\tinterval\t-\n*\truns\t*\t%s\tdevelopment\t-\n' "$rbsor" >splits.tsv
sed 's/^name = .*/name = like/; s/^source = measured/&\nkernels = h200x4/' "$root/model/platforms/h200x4.ini" >like.ini
mkdir -p traces/data/like/replay traces/data/h200x4
ln -s "$root/model" model
ln -s "$root/traces/data/h200x4/kernels" traces/data/h200x4/kernels
(
	WARPREEL_ROOT=.
	export WARPREEL_ROOT
	warpreel predict rbsor --size 1024 --iterations 10 --gpus 2 --platform like.ini -o traces/data/like/replay/a.wrt.zst >/dev/null 2>&1
	warpreel predict lmsor --size 402 --problem 1 --omega as-run --kernel 1 --check device --iterations 10 --gpus 2 --platform like.ini -o traces/data/like/replay/b.wrt.zst >/dev/null 2>&1
	validate() {
		warpreel validate --platform like.ini --measured measured.tsv --splits splits.tsv "$@"
	}
	validate -o all.tsv >/dev/null
	columns set,solver,model <all.tsv | tail -n +2 | sort | uniq -c | awk '{ print $2, $3, $4, $1 }'
	for solver in rbsor lmsor; do
		for jobs in 1 3; do
			validate -o part.tsv --solver $solver --jobs $jobs >/dev/null 2>&1
			awk -F '\t' -v solver=$solver 'NR == 1 || $4 == solver' all.tsv | cmp - part.tsv && echo "$solver: its rows"
		done
	done
	validate -o part.tsv --models default >/dev/null 2>&1
	awk -F '\t' 'NR == FNR { kept[$0]; next } !($0 in kept) { print "not kept:", $1, $3 }' part.tsv all.tsv | sort | uniq -c | awk '{ $1 = $1; print }'
	awk -F '\t' 'NR == FNR { there[$0]; next } !($0 in there) { print "new:", $0 }' all.tsv part.tsv
)
# A recording whose launches noted no footprints is replayed and held against its measurement; what goes by bytes has no row of it.
(
	WARPREEL_ROOT=.
	export WARPREEL_ROOT
	zstd -dqc traces/data/like/replay/a.wrt.zst >bare.wrt
	sqlite3 bare.wrt 'delete from WARPREEL_FOOTPRINT'
	zstd -q bare.wrt -o traces/data/like/replay/a.wrt.zst -f
	warpreel validate --platform like.ini --measured measured.tsv --splits splits.tsv --solver rbsor -o bare.tsv >/dev/null
	awk -F '\t' '$1 == "replay" { print $1, $3, $4 }' bare.tsv
)
refuses warpreel validate --solver nobody
refuses warpreel validate --models some
refuses warpreel validate --solver rbsor --fit-intervals
refuses warpreel validate --solver rbsor --only kernels
refuses warpreel validate --models default --only contention
refuses warpreel validate --models default --fit-intervals
refuses warpreel validate --platform like.ini --measured measured.tsv --splits splits.tsv --solver micro
