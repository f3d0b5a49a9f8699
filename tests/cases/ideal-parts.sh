# --ideal PART is the device that explain shows as "ideal PART"; parts add up, and only the model that looks at them takes them.
explained() { # PART [option...]: us of the row of that part
	part=$1
	shift
	warpreel explain micro --platform h200x4 --kernel copy4 --size 1048576 --format tsv "$@" |
		columns what,part,us | awk -F '\t' -v part="$part" '$1 == "ideal" && $2 == part { print $3 }'
}
for part in launch l2-latency dram-rate; do
	test "$(explained $part)" = "$(explained nothing --ideal $part)" && echo "$part: the same device"
done
awk -v one="$(explained nothing --ideal launch)" -v two="$(explained nothing --ideal launch --ideal blocks)" \
	'BEGIN { print two < one ? "two parts buy more than one" : "one " one " two " two }'
head -n 4 "${root:?}/traces/data/h200x4/kernels.tsv" >few.tsv
warpreel validate --platform h200x4 --only kernels --kernels few.tsv --ideal launch | columns set,model,n | sort -u
refuses warpreel explain micro --platform h200x4 --ideal gravity
refuses warpreel validate --platform h200x4 --only kernels --ideal gravity
refuses warpreel predict rbsor --platform "$platform" --ideal launch
refuses warpreel predict rbsor --platform h200x4 --kernel-model scaled --ideal launch
