# The thesis' own b-wide border is not red-black SOR: black reads a halo that the neighbour's red sweep of the same iteration has
# outdated. It deviates from one GPU within 100 iterations at every b, and diverges later; the exact scheme converges.
residual() { warpreel solve rbsor --backend cpu --format tsv --size 200 --gpus 4 "$@" | columns residual | tail -n 1; }
one=$(checksum --size 200 --iterations 100)
for border in 1 2 5 16; do
	got=$(checksum --size 200 --iterations 100 --gpus 4 --scheme thesis --border $border)
	[ "$got" = "$one" ] && echo "b=$border same as one GPU" || echo "b=$border deviates"
done
exact=$(residual --border 5 --iterations 2000)
thesis=$(residual --border 5 --iterations 2000 --scheme thesis)
awk -v r="$exact" 'BEGIN { print (r < 1e-4 ? "exact has converged" : "exact residual " r) }'
awk -v r="$thesis" 'BEGIN { print (r + 0 > 1e3 || r ~ /nan|inf/ ? "thesis has diverged" : "thesis residual " r) }'
