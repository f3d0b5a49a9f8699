# Calls and threads that do not spread give the answer of no spread, in every column: the mean of equal runs is one of them.
{ cat "$platform" && printf '[host]\ncall_quantiles = 1 1\nthread_quantiles = 1 1\n'; } >spread.ini
answer() { warpreel predict rbsor --kernel-model roofline --size 512 --iterations 8 --gpus 2 --format tsv --platform "$@"; }
answer "$platform" >plain.tsv
answer spread.ini >spread.tsv
columns core_us,total_us,kernel_us,transfer_us,sync_us,host_us <plain.tsv >plain
columns core_us,total_us,kernel_us,transfer_us,sync_us,host_us <spread.tsv >spread
cmp plain spread && echo "the same"
# And spread is played: calls twice as long on average are felt.
answer spread.ini --set "host.call_quantiles=1 3" | columns core_us | tail -n 1 >slow
[ "$(columns core_us <plain.tsv | tail -n 1)" != "$(cat slow)" ] && echo "another, where calls spread"
