# The exact scheme is bit-identical to one GPU for every border width asked of it, both transports, an iteration count that is
# no multiple of the border, strips as thin as the halo allows.
one=$(checksum --size 258x131 --iterations 37)
for gpus in 2 4 8; do
	for border in 1 2 5 16; do
		for transport in host peer; do
			got=$(checksum --size 258x131 --iterations 37 --gpus $gpus --border $border --transport $transport)
			[ "$got" = "$one" ] && echo "G=$gpus b=$border $transport same" || echo "G=$gpus b=$border $transport differs: $got"
		done
	done
done
# one row of halo to spare: (66 - 2) / 2 = 32 rows a strip, 2b = 32
one=$(checksum --size 66x40 --iterations 50)
[ "$(checksum --size 66x40 --iterations 50 --gpus 2 --border 16)" = "$one" ] && echo "thinnest strip same"
