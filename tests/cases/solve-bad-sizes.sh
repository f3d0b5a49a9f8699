for size in 2 0 -5 3x 3x2 x 1e3 12x34x56 16777217 ''; do
	refuses warpreel solve rbsor --backend cpu --size "$size"
done
