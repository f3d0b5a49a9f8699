#!/bin/sh
# SPDX-License-Identifier: MIT
# What the exchanges of blocks differ by, from the clocks that blocks read (`--watch`, lists/weak_watch.list): a row a run on 15 x 24 blocks.
#   sh kernels/weak/watch_parts.sh FOLDER >papers_003_watch_parts.tsv
# Of blocks inside: standard deviation between multiprocessors, within one, and from exchange to exchange. Of those at the top, at the bottom
# and on the right: by how much the exchange of the first thread that communicates is shorter. whole_top: by how much the top's phases are.
# Cycles. The means of a multiprocessor's few blocks vary by chance, which is taken out.
set -eu
export LC_ALL=C
printf 'solver\tscheme\tl\tthreads\tresident\tpasses\texchange\tmultiprocessor_sd\tblock_sd\tphase_sd\ttop\tbottom\tright\twhole_top\n'
for file in "$1"/*.tsv; do
	name=$(basename "$file" .tsv)
	awk -F '\t' -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ x = $at["block"] % 15; y = int($at["block"] / 15); e = $at["exchange_cycles"]; exchanges = $at["exchanges"] }
		y > 0 && y < 23 && x > 0 && x < 14 { sm = $at["sm"]; n[sm]++; sum[sm] += e; square[sm] += e * e; all++; of_all += e; phase += $at["exchange_sd_cycles"]; cycles += $at["cycles"]; next }
		y == 0 && x > 0 && x < 14 { tops++; top += e; top_cycles += $at["cycles"] }
		y == 23 && x > 0 && x < 14 { bottoms++; bottom += e }
		x == 14 && y > 0 && y < 23 { rights++; right += e }
		function root(v) { return v > 0 ? sqrt(v) : 0 }
		END {
			k = split(name, w, "-"); scheme = w[2]; if (k == 6) scheme = w[2] "-" w[3]
			if (scheme == "base" || scheme == "coarse" || all < 200) exit
			for (sm in n) { sms++; mean[sm] = sum[sm] / n[sm]; means += mean[sm]; within += square[sm] - sum[sm] ^ 2 / n[sm] }
			within /= all - sms; means /= sms
			for (sm in n) between += (mean[sm] - means) ^ 2 / sms
			border = scheme == "ud" ? 64 : 104; t = w[k - 1]
			printf "%s\t%s\t%s\t%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\n", w[1], scheme, w[k - 2], t, w[k], t ? int((border + t - 1) / t) : 1, of_all / all, root(between - within * sms / all), root(within),
				phase / all, of_all / all - top / tops, of_all / all - bottom / bottoms, of_all / all - right / rights, (cycles / all - top_cycles / tops) / exchanges }' "$file"
done
