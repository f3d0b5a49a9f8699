# A visit's folder for paper 003, made by one command and appended by another: here by host threads, on small pictures.
mkdir lists to
for scheme in 4w-square ud-stripe; do
	echo "poisson 1 size=70 objects=4 stop=residual tolerance=0.05 scheme=$scheme host-sync=45 exchange=5 threads=0 resident=4" >>lists/weak_blind3.list
done
echo "poisson 1 size=70 scheme=4w-stripe host-sync=20 exchange=5 threads=32 resident=4 steps=60 ages=ages3/4w-stripe-5-32-4.tsv" >lists/weak_ages3.list
for table in papers_003 papers_003_runs papers_003_ages papers_003_ages_answered; do cp "$root/traces/data/h200x4/$table.tsv" to; done
cp -r to before
WARPREEL=$warpreel LISTS=$PWD/lists sh "$root/kernels/weak/measure_003.sh" visit blind3 ages3 -- --backend cpu | cut -f 1,2
ls visit visit/ages3
sh "$root/kernels/weak/append_003.sh" visit to
for table in papers_003 papers_003_runs papers_003_ages; do diff "before/$table.tsv" "to/$table.tsv" >new.diff; grep -c '^>' new.diff; grep '^<' new.diff; done
new() { diff "before/$1.tsv" "to/$1.tsv" | sed -n 's/^> //p'; }
new papers_003_runs | awk -F '\t' '$3 == "blind-3" { print $1, gsub(/,/, "", $4), gsub(/,/, "", $5) }'
new papers_003_ages | awk -F '\t' '$4 == "blind-3" { print $1, $2, $3, $7; sum += $6 } END { print (sum > 0 ? "ages" : "none") }' | sort -u
# What stands there is not appended again, nor half of a batch; and nothing is written then.
cp -r to before2
sh "$root/kernels/weak/append_003.sh" visit to || echo "exit $?"
mkdir half && sed 2d visit/blind3.tsv >half/blind3.tsv && cp visit/blind3_runs.tsv half
sh "$root/kernels/weak/append_003.sh" half before || echo "exit $?"
diff -r to before2 && diff before/papers_003.tsv "$root/traces/data/h200x4/papers_003.tsv" && echo untouched
