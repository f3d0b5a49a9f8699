# What the validation page asks of replay rows: 8 %, or three times the spread between visits on small grids, own or the nearest measured.
small="precision=f32 kernel=tuned scheme=exact border=1 transport"
{
	printf 'solver\tconfig\tgpus\tcore_us\tvisit\n'
	printf 'rbsor\tsize=512x512 %s=peer iterations=20\t2\t%d\t%s\n' "$small" 100 B "$small" 90 B "$small" 105 E
	printf 'rbsor\tsize=512x512 %s=host iterations=20\t2\t%d\t%s\n' "$small" 200 B "$small" 202 E
	printf 'rbsor\tsize=1024x1024 %s=peer iterations=20\t2\t%d\t%s\n' "$small" 100 B "$small" 100 B2
	printf 'rbsor\tsize=1024x1024 %s=host iterations=20\t4\t%d\t%s\n' "$small" 100 B
} >measured.tsv
{
	printf 'set\tsplit\tmodel\tsolver\tconfig\tgpus\terror_pct\n'
	printf 'replay\tinterval\tdefault\trbsor\tsize=512x512 %s=peer iterations=20\t2\t-29.9\n' "$small"      # 10 % between visits
	printf 'replay\tinterval\tdefault\trbsor\tsize=1024x1024 %s=peer iterations=20\t2\t31\n' "$small"       # one stay: the row before
	printf 'replay\tdevelopment\tdefault\trbsor\tsize=768x768 %s=host iterations=20\t2\t7.9\n' "$small"    # 1 %: 8 % it is
	printf 'replay\tdevelopment\tdefault\trbsor\tsize=1024x1024 %s=host iterations=20\t4\t9\n' "$small"    # no spread on 4 GPUs
	printf 'replay\tdevelopment\tdefault\trbsor\tsize=2048x2048 %s=peer iterations=20\t2\t-8.1\n' "$small" # not small
	printf 'replay\tdevelopment\tscaled\trbsor\tsize=2048x2048 %s=peer iterations=20\t2\t90\n' "$small"
	printf 'gpus\tdevelopment\tdefault\trbsor\tsize=512x512 %s=peer iterations=20\t2\t90\n' "$small"
} >table.tsv
sh "$root/docs/validation_replay.sh" "${warpreel:?}" table.tsv measured.tsv rows.tsv | grep '^|'
cat rows.tsv
