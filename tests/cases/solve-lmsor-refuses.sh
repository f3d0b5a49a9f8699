# What no formula covers, what overflows, sizes and looks that are none, and a run that does not get there.
for options in '--size 2' '--size 402 --re 90' '--re 1e200' '--re nan' '--problem 3 --re 1e13' '--problem 4' '--check 0' '--check often' \
	'--size 5 --gpus 2' '--size 40 --gpus 4 --border 5' '--kernel persistent --gpus 2' '--kernel persistent --size 1025'; do
	# shellcheck disable=SC2086
	refuses warpreel solve lmsor $options
done
warpreel solve lmsor --size 66 --max-iterations 20 --check 10 --format tsv >table 2>said; echo "exit $?"
sed 's/residual [0-9].*/residual .../' said; columns iterations <table | tail -n 1
warpreel solve lmsor --size 66 --problem 3 --omega sor --sor-omega 1.99 --format tsv 2>said >table; echo "exit $?"
cut -c 1-54 said
