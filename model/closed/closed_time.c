/* SPDX-License-Identifier: MIT */
#include "closed_time.h"

double closed_flow_ns(const struct transfer_law *law, double k, double words)
{
	return k * transfer_ns(law, words * TRANSFER_WORD_BYTES);
}

double closed_pair_ns(const struct transfer_law *down, const struct transfer_law *up, double k,
		      double words, double host_host_ns)
{
	return closed_flow_ns(down, k, words) + closed_flow_ns(up, k, words) + host_host_ns;
}

double closed_strip_ns(const struct transfer_law *law, double n, double k, int neighbours)
{
	return 2 * neighbours * closed_pair_ns(law, law, k, n, 0);
}

double closed_block_ns(const struct transfer_law *law, double n, double k)
{
	const double vertical = closed_pair_ns(law, law, k, n / 2, 0),
		     horizontal = closed_pair_ns(law, law, n / 2 + k, k, 0);
	return 2 * vertical + 2 * horizontal;
}

double closed_block_margin(double n, double k, int neighbours)
{
	return neighbours == 1 ? -2 * k * k / (n + 2 * k) : 2 * k * (n - k) / n;
}

double closed_run_ns(double node_ns, const struct closed_part *part, int gpus)
{
	double longest = 0;
	for (int g = 0; g < gpus; g++) {
		const double ns = part[g].kernel_ns + part[g].exchange_ns;
		longest = ns > longest ? ns : longest;
	}
	return node_ns + longest;
}
