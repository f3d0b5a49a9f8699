# Meshes and sweeps that no subdomains tile, blocks that no GPU holds, programs that no GPU runs.
for options in '--size 1030' '--size 5' '--size 34x37' '--size 26 --gpus 2' '--subdomain 1' '--subdomain 8x' '--size 18 --layers 5' '--layers 3' '--threads 48' '--kernel ahead --threads 160' '--subdomain 32' \
	'--kernel rows --iterations 97' '--kernel rows --size 17 --subdomain 5 --form unrolled' '--size 66 --kernel full --form both --layers 3' '--size 66 --kernel full --tile 7' \
	'--kernel full --size 66 --tile 2 --launches 3' '--size 66 --gpus 2 --launches 3' '--kernel ssor --gpus 2' '--points 0' '--layers -1' \
	'--omega nan' '--tolerance -1' '--kernel redblack --size 6 --gpus 8'; do
	echo "$options"
	# shellcheck disable=SC2086
	refuses warpreel solve mlssor $options
done
for options in '--kernel full --size 2050 --subdomain 16 --threads 512' '--kernel ssor' '--tolerance 1e-3' '--kernel sequential --tolerance 1e-3'; do
	# shellcheck disable=SC2086
	refuses warpreel predict mlssor --platform "$platform" --kernel-model roofline $options
done
