# A grid of configurations: ranges, alternatives of --set, a point that does not fit is a row that says why.
cat >grid.ini <<'END'
[sweep]
gpus = 1 4
set = - | nvlink.bytes_per_s=1e9
[rbsor]
size = 128..256*2
  512
border = 1..33+16
iterations = 8
END
warpreel sweep grid.ini --platform "$platform" --kernel-model roofline; echo "exit $?"
columns point,solver,set,gpus,rows,columns,border,iterations,answered <grid.tsv
columns note <grid.tsv | sort | uniq -c | sort -rn | head -n 3
# As predict says it.
warpreel predict rbsor --platform "$platform" --kernel-model roofline --size 256 --border 17 --iterations 8 --gpus 4 --format tsv |
	columns core_us,core_lo_us,core_hi_us,total_us,host_us >alone
columns core_us,core_lo_us,core_hi_us,total_us,host_us,rows,border,gpus,set <grid.tsv |
	awk -F '\t' '$6 == 256 && $7 == 17 && $8 == 4 && $9 == "-"' | cut -f 1-5 | cmp - <(tail -n 1 alone) && echo "as predict"
left_behind
