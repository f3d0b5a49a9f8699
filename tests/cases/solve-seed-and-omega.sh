# Another seed is another grid; a given omega shows in the configuration, the optimum does not.
[ "$(checksum --size 40 --seed 1)" = "$(checksum --size 40 --seed 2)" ] && echo "seeds agree"
warpreel solve rbsor --backend cpu --size 40 --omega 1.5 --format tsv | columns config | tail -n 1
warpreel solve rbsor --backend cpu --size 40 --format tsv | columns config | tail -n 1
