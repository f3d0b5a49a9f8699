# The eight schemes on the CPU and what all steps are one launch of come to one picture; the two kernels of all steps to the bits of Base.
for scheme in base barrier flags; do
	warpreel solve poisson --size 70 --scheme $scheme --host-sync 1 --steps 30 --format tsv | columns checksum | tail -n 1
done | uniq -c | awk '{ print $1 " alike" }'
warpreel solve poisson --size 70 --tolerance 0.1 -o reference.pgm >/dev/null
for scheme in base coarse ud-stripe 4w-stripe 4w-combine-stripe ud-square 4w-square 4w-combine-square cluster free async apart; do
	warpreel solve poisson --size 70 --scheme $scheme --host-sync 20 --resident 4 -o $scheme.pgm >/dev/null || echo "$scheme: exit $?"
	for file in reference.pgm "$scheme.pgm"; do od -An -v -tu1 -w1 "$file" >"$file.txt"; done
	paste reference.pgm.txt "$scheme.pgm.txt" | awk -v scheme="$scheme" '{ by = $1 > $2 ? $1 - $2 : $2 - $1; most = by > most ? by : most } END { if (most > 2) print scheme ": off by " most }'
done
warpreel solve shape --size 70 --scheme 4w-square --inner jacobi; echo "exit $?"
warpreel solve poisson --size 70 --scheme 4w-stripe --ages ages.tsv --steps 60 >/dev/null && cat ages.tsv
