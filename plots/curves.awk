# SPDX-License-Identifier: MIT
# points.tsv -> the points of a curve, measured and predicted: -v what=time    us per iteration
#                                                              -v what=speedup G GPUs over one
#                                                              -v what=gain    border b over border 1
# Of several iteration counts of one configuration the largest is taken. One GPU has no transport: its rows stand under both.
BEGIN {
	FS = OFS = "\t"
	print "precision", "kernel", "transport", "gpus", "n", "border", "split", "measured", "predicted"
}
FNR == 1 { next }
$3 == "default" && $1 != "replay" && $5 > 0 && $9 == "exact" {
	keep($4 == 1 ? "peer" : $11)
	if ($4 == 1)
		keep("host")
}
function keep(transport,    at) {
	at = $7 OFS $8 OFS transport OFS $4 OFS $5 OFS $10
	if (at in iterations && iterations[at] >= $12 + 0)
		return
	if (!(at in iterations))
		order[++count] = at
	iterations[at] = $12 + 0
	split_of[at] = $2
	measured[at] = $13
	predicted[at] = $14
}
# What a curve's point is divided into: the same run on one GPU, or with border 1.
function base_of(at,    part) {
	split(at, part, FS)
	return what == "speedup" ? part[1] OFS part[2] OFS part[3] OFS 1 OFS part[5] OFS part[6] : \
		part[1] OFS part[2] OFS part[3] OFS part[4] OFS part[5] OFS 1
}
END {
	for (k = 1; k <= count; k++) {
		at = order[k]
		if (what == "time") {
			print at, split_of[at], measured[at] / iterations[at], predicted[at] / iterations[at]
			continue
		}
		base = base_of(at)
		if (base in iterations && iterations[base] == iterations[at])
			print at, split_of[at], measured[base] / measured[at], predicted[base] / predicted[at]
	}
}
