# The checksum depends on neither GPU count, border, transport nor partition; blocks and GPUs must agree in number.
for precision in f32 f64; do
	one=$(warpreel solve jacobi --backend cpu --size 129x67 --iterations 23 --precision $precision --format tsv | columns checksum | tail -n 1)
	echo "$precision $one"
	for cut in "2 strips" "4 2x2" "6 3x2" "8 2x4"; do
		for border in 1 4; do
			got=$(warpreel solve jacobi --backend cpu --size 129x67 --iterations 23 --precision $precision --gpus "${cut% *}" \
				--partition "${cut#* }" --border $border --transport host --format tsv | columns checksum | tail -n 1)
			[ "$got" = "$one" ] || echo "$precision $cut border $border: $got"
		done
	done
done
refuses warpreel solve jacobi --backend cpu --gpus 4 --partition 2x3
refuses warpreel solve jacobi --backend cpu --gpus 4 --partition 2
refuses warpreel solve jacobi --backend cpu --gpus 8 --size 64x20 --partition 1x8 --border 3
warpreel solve jacobi --backend cpu --gpus 2 --partition 1x2 --size 300x200 --format tsv | columns config
