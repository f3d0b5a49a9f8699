# The best of each group, how far the second is behind, and what taking it may cost.
cat >grid.ini <<'END'
[sweep]
gpus = 1 2 4
[rbsor]
size = 64 128
border = 1 4
iterations = 8
END
warpreel sweep grid.ini --platform "$platform" --kernel-model roofline --best rows,gpus >best
cut -f 1-3,8- best | columns rows,gpus,points,solver
# By hand: least core loop of a group, and the second's distance.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ key = $at["rows"] "\t" $at["gpus"]; us = $at["core_us"]
	  if (!(key in least) || us < least[key]) { second[key] = least[key]; least[key] = us } else second[key] = us }
	END { for (key in least) printf "%s\t%s\t%.2f\n", key, least[key], 100 * (second[key] / least[key] - 1) }' grid.tsv | sort >by_hand
columns rows,gpus,core_us,behind_second_pct <best | tail -n +2 | sort | cmp - by_hand && echo "as by hand"
warpreel sweep grid.ini --platform "$platform" --kernel-model roofline --best all | wc -l
refuses warpreel sweep grid.ini --platform "$platform" --best colour
refuses warpreel sweep grid.ini --platform "$platform" --best core_us
