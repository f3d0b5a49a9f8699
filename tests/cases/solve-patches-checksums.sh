# Block relaxation gives the same values on any number of GPUs; the columns of a table.
of() { warpreel solve patches --format tsv "$@" | tee table | columns config,residual,residual_ratio,cells | tail -n 1; }
sum() { columns checksum <table | tail -n 1 >"$1"; }
for gpus in 1 2 4; do
	of --gpus $gpus --patches 2.2.2*8+1@8.8.8:8 --block 4 --ghost reflect
	sum "levels.$gpus"
	of --gpus $gpus --patches 3x12.8.8+1x16 --block 4.2.8 --order depth --transfer each --streams 2
	sum "alone.$gpus"
done
for gpus in 2 4; do
	cmp levels.1 levels.$gpus
	cmp alone.1 alone.$gpus
done
of --patches 1x20 --block 8 --edge overlap --method lexicographic
of --patches 1x16 --block 4 --method chaotic --wave 7 --seed 3
head -n 1 table | cut -f 18-
