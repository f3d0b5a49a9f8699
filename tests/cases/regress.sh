# Laws of transfer time: from a platform, a table and a trace; tested on sizes left out and on another machine.
warpreel regress "$platform" --copy h2d --hold-out 2 --test "$root/model/platforms/c1060.ini" | sed 's| *$||'
table=$root/traces/data/papers/004_copies.tsv
warpreel regress "$table" --method timer-reg --format tsv
warpreel regress "$table" --method linear --format tsv | columns method,word_ns
warpreel regress "$root/traces/data/h200x4/replay/rbsor.wrt.zst" --copy peer --method relative --format tsv | columns method,copies
refuses warpreel regress
refuses warpreel regress nowhere
refuses warpreel regress nowhere.tsv
refuses warpreel regress "$table" --copy peer
refuses warpreel regress "$table" --copy sideways
refuses warpreel regress "$table" --hold-out 9
refuses warpreel regress "$root/model/platforms/h200x4.ini" --copy h2d_2d
printf 'bytes\tns\n64\t10\n128\t12\n' >table.tsv
refuses warpreel regress table.tsv --method timer-reg
printf 'bytes\ttime\n' >table.tsv
refuses warpreel regress table.tsv
printf 'bytes\tns\n4\t0\n' >table.tsv
refuses warpreel regress table.tsv
printf '# one size\nbytes\tns\n4\t10\n4\t12\n' >table.tsv
refuses warpreel regress table.tsv
printf 'bytes\tns\n4\t10\n16\t12\t1\n' >table.tsv
refuses warpreel regress table.tsv
printf 'bytes\tns\n4\t10\n16\tnan\n' >table.tsv
refuses warpreel regress table.tsv
