# Several machines beside each other: parts of a difference add up, one host for all leaves none of it to hosts, and an unmarked answer is that of predict.
platforms() { warpreel platforms rbsor --size 1024 --format tsv "$@"; }
platforms --gpus 2 --platform h200x4 --platform h200x8 --platform a100 >table
columns platform,kernel_model,marked <table
columns difference_us,host_us,link_us,device_us <table | awk 'NR > 1 { sum = $2 + $3 + $4 - $1; print (sum < 0.25 && sum > -0.25 ? "adds up" : $0) }'
[ "$(columns core_us <table | sed -n 2p)" = "$(warpreel predict rbsor --size 1024 --gpus 2 --format tsv --platform h200x4 | columns core_us | awk 'NR == 2 { printf "%.1f\n", $1 }')" ] && echo "as predict has it"
platforms --host h200x4 --platform h200x4 --platform a100 --platform h100x1 | columns platform,host_us,link_us
refuses warpreel platforms rbsor --platform h200x4
refuses warpreel platforms rbsor --platform h200x4 --platform nosuch
