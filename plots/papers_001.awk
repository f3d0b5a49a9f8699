# SPDX-License-Identifier: MIT
# Tables of the figures of Rodriguez et al. -v what=cells: of kernels alone (papers_001_kernels.tsv). -v what=order: of predicted and measured runs
# (papers_001_predicted.tsv papers_001.tsv points.tsv, the last of the answers of today). What configurations say are columns (warpreel columns): count, side, block_cells, method, option_kernel,
# products; of runs count, side, order.
BEGIN {
	FS = OFS = "\t"
	if (what == "cells")
		print "what", "kernel", "block", "side", "patches", "rate"
	else
		print "side", "patches", "measured", "predicted", "today"
}
/^#/ { next }
!($0 in begun) && /(^|\t)config(\t|$)/ { begun[$0]; file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
what == "cells" && $at["solver"] == "patches" && $at["side"] > 0 && $at["products"] == "-" {
	kernel = $at["option_kernel"]; cells = $at["block_cells"]; side = $at["side"]; patches = $at["count"]
	if ($at["method"] == "jacobi" && kernel ~ /^gemv/ || $at["method"] == "chaotic" && kernel == "sine")
		next
	rate = patches * side ^ 3 / ($at["launches"] * $at["median_ns"])
	if (side == 64 && patches >= 64)
		print "block", kernel, cells, side, patches, rate
	if (cells == 512)
		count[++n] = sprintf("%d\t%s\t%d\t%d\t%d\t%.9g", patches, kernel, cells, side, patches, rate)
}
what == "order" && file == 1 && $at["platform"] == "h200x4" { answer[$at["config"]] = $at["core_us"] }
what == "order" && file == 2 && ($at["config"] in answer) && $at["side"] > 0 {
	key = $at["side"] OFS $at["count"]
	if (!(key in us))
		name[++n] = key
	us[key] = us[key] ? us[key] : 1
	us[key, $at["order"]] = $at["core_us"]
	config_of[key, $at["order"]] = $at["config"]
	said[key, $at["order"]] = answer[$at["config"]]
}
what == "order" && file == 3 && $at["set"] == "size" && $at["model"] == "default" {
	config = $at["config"]
	sub(/^patches /, "", config)
	today[config] = $at["predicted_us"]
}
function now(key, breadth, depth) {
	breadth = config_of[key, "breadth"]; depth = config_of[key, "depth"]
	if (!(breadth in today) || !(depth in today))
		return "NaN"
	return today[breadth] / today[depth]
}
END {
	for (k = 1; k <= n && what == "order"; k++)
		print name[k], us[name[k], "breadth"] / us[name[k], "depth"], said[name[k], "breadth"] / said[name[k], "depth"], now(name[k])
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
