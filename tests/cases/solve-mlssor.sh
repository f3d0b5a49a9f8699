# Layers until no point changes by more than the tolerance, by each method; strips agree with one GPU; tables have the column.
for kernel in full rows tuned ahead redblack sequential ssor; do
	warpreel solve mlssor --size 130 --kernel $kernel --tolerance 1e-2 --iterations 400 --format tsv | columns config,iterations,max_change | tail -n 1
done
for input in 1 2 3; do
	for gpus in 1 2 4; do
		warpreel solve mlssor --size 130 --input $input --gpus $gpus --iterations 24 --format tsv | columns checksum,iterations | tail -n 1
	done
done
warpreel solve mlssor --size 66 --tolerance 1e-9 --iterations 8 >text; echo "exit $?"
# What a sweep launches, on paper: K12 in two pieces and K21 too where there is a neighbour.
for gpus in 1 2; do
	warpreel predict mlssor --size 128 --subdomain 9 --kernel rows --iterations 8 --gpus $gpus --platform "$platform" --kernel-model roofline -o plan.wrt >/dev/null
	warpreel info plan.wrt | grep mlssor_
done
# Borders of wavefront are chunked's.
for gpus in 1 2; do
	warpreel predict mlssor --size 130 --subdomain 16 --kernel wavefront --iterations 16 --gpus $gpus --platform "$platform" --kernel-model roofline -o plan.wrt >/dev/null
	warpreel info plan.wrt | grep mlssor_
done
