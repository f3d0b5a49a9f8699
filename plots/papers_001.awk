# SPDX-License-Identifier: MIT
# Tables of the figures of Rodriguez et al. -v what=cells: of kernels alone (papers_001_kernels.tsv). -v what=order: of predicted and measured runs
# (papers_001_predicted.tsv papers_001.tsv).
BEGIN {
	FS = OFS = "\t"
	if (what == "cells")
		print "what", "kernel", "block", "side", "patches", "rate"
	else
		print "side", "patches", "measured", "predicted"
}
function option(name,    part) {
	return match($2, "(^| )" name "=[^ ]*") ? substr($2, RSTART + length(name) + 1 + (substr($2, RSTART, 1) == " "), RLENGTH - length(name) - 1 - (substr($2, RSTART, 1) == " ")) : ""
}
what == "cells" && $1 == "patches" && $2 !~ /products|method=jacobi kernel=gemv/ && split(option("patches"), set, "x") == 2 {
	cells = split(option("block"), b, ".") ? b[1] * b[2] * b[3] : 0
	rate = set[1] * set[2] ^ 3 / ($7 * $8)
	if (option("kernel") == "sine" && option("method") == "chaotic")
		next
	if (set[2] == 64 && set[1] >= 64)
		print "block", option("kernel"), cells, set[2], set[1], rate
	if (cells == 512)
		count[++n] = sprintf("%d\t%s\t%d\t%d\t%d\t%.9g", set[1], option("kernel"), cells, set[2], set[1], rate)
}
what == "order" && FNR == 1 { file++ }
what == "order" && file == 1 && $1 == "h200x4" { answer[$3] = $4 }
what == "order" && file == 2 && ($2 in answer) && split(option("patches"), set, "x") == 2 {
	key = set[2] OFS set[1]
	if (!(key in us))
		name[++n] = key
	us[key] = us[key] ? us[key] : 1
	us[key, option("order")] = $6
	said[key, option("order")] = answer[$2]
}
END {
	for (k = 1; k <= n && what == "order"; k++)
		print name[k], us[name[k], "breadth"] / us[name[k], "depth"], said[name[k], "breadth"] / said[name[k], "depth"]
	# By the number of patches.
	for (i = 1; i <= n && what == "cells"; i++)
		for (j = i + 1; j <= n; j++)
			if (count[j] + 0 < count[i] + 0) {
				swap = count[i]; count[i] = count[j]; count[j] = swap
			}
	for (k = 1; k <= n && what == "cells"; k++) {
		sub(/^[0-9]*\t/, "", count[k])
		print "patches", count[k]
	}
}
