# SPDX-License-Identifier: MIT
# points.tsv -> what the captions say of each set, model and split.
BEGIN { FS = OFS = "\t"; print "set", "model", "split", "text", "coverage" }
FNR == 1 { next }
{
	group = $1 OFS $3 OFS $2
	e = $17 < 0 ? -$17 : $17
	if (!(group in n))
		order[++groups] = group
	n[group]++
	sum[group] += e
	if (e > most[group])
		most[group] = e
	if ($15 != "NaN") {
		banded[group]++
		inside[group] += $13 >= $15 && $13 <= $16
	}
}
END {
	for (g = 1; g <= groups; g++) {
		group = order[g]
		split(group, part, FS)
		text = sprintf("%s: n = %d, MAPE %.1f %%, max %.0f %%", part[3], n[group], sum[group] / n[group], most[group])
		print part[1], part[2], part[3], text, \
			banded[group] ? sprintf(", coverage %.0f %%", 100 * inside[group] / banded[group]) : ""
	}
}
