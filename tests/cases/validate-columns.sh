# A whole validation on made-up measurements: a profile predicted here, two configurations, one of them put into another split.
predicted profile.wrt --size 1024 --iterations 4
small="precision=f32 kernel=tuned scheme=exact border=1 transport=peer iterations=10"
{
	printf 'solver\tconfig\tgpus\tcore_us\tcore_mad_us\n'
	for gpus in 1 2 4; do
		printf 'rbsor\tsize=1024x1024 %s\t%d\t%d\t1\n' "$small" $gpus $((400 / gpus + 50))
		printf 'rbsor\tsize=900x1024 %s\t%d\t%d\t1\n' "$small" $gpus $((380 / gpus + 50))
	done
} >measured.tsv
header='platform\tset\tgpus\tconfig\tsplit\tcounts\tsince\twhy\n'
{
	printf "$header"
	printf '*\truns\t*\t*\tinterval\t-\tnow\tthe rest\n*\truns\t*\tsize=900x1024 %s\tdevelopment\t-\tnow\tit is\n' "$small"
	printf '*\tplanned\t4\tsize=900x1024 %s\tblind\t-\tnow\tof four GPUs\n' "$small"
	printf 'elsewhere\t*\t*\t*\tblind\t-\tnow\tnot this platform\n'
} >splits.tsv
validate() {
	warpreel validate --platform "$platform" --profile profile.wrt --measured measured.tsv --splits splits.tsv "$@"
}
validate -o table.tsv --summary summary.tsv >printed
cmp printed summary.tsv && head -n 1 summary.tsv
head -n 1 table.tsv | cut -f 1-13
columns set,split,model,gpus <table.tsv | tail -n +2 | sort | uniq -c | awk '{ print $2, $3, $4, $5, $1 }'
columns inputs <table.tsv | tail -n +2 | sort -u
# What one GPU takes, over as many as there are, or as it is.
columns config,gpus,model,predicted_us <table.tsv | awk -F '\t' '$3 ~ /^default(-refused)?$/ && $2 == 1 { one[$1] = $4 }
	$3 == "linear" || $3 == "same-as-1" { key = $3 " on " $2; share = $3 == "linear" ? 1 / $2 : 1; d = $4 - one[$1] * share
		print key ": " (one[$1] > 0 && d < 0.001 && d > -0.001 ? "right" : $4 " is not " one[$1] * share) }' | sort | uniq -c | awk '{ $1 = $1; print }'
cp table.tsv first.tsv
validate -o table.tsv >/dev/null && cmp first.tsv table.tsv && echo "the same bytes again"
for jobs in 1 3; do
	validate --jobs $jobs -o table.tsv >/dev/null 2>said.$jobs && cmp first.tsv table.tsv && echo "the same bytes with --jobs $jobs"
done
cmp said.1 said.3 && echo "and the same messages"
refuses warpreel validate --platform "$platform" --profile profile.wrt --measured nowhere.tsv
refuses warpreel validate --platform "$platform" --profile profile.wrt --measured measured.tsv --splits nowhere.tsv
mkdir tables
validate --tables tables >/dev/null && head -n 1 tables/*.tsv
columns choice,groups,runs <tables/ranking.tsv
columns set,split,by,stratum,n <tables/strata.tsv | grep 'all\|gpus'
rm -r tables
refuses validate --tables nowhere
refuses validate -o /nowhere/table.tsv
for line in '*\truns\t*\t*\tholdout\t-\tnow\tof old' '*\truns\t0\t*\tblind\t-\tnow\tno GPU' '*\truns\t*\t*\tblind\tall\tnow\tcounts' '*\truns\t*\t*\tblind\t-\tnow'; do
	printf "$header$line\n" >bad.tsv
	refuses validate --splits bad.tsv
done
printf 'config\nsize=8x8\n' >bad.tsv
refuses validate --splits bad.tsv
: >bad.tsv
refuses validate --splits bad.tsv
left_behind | grep part || true
