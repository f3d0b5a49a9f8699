/* SPDX-License-Identifier: MIT */
#include "ring_price.h"

double ring_least_copy_ns(const struct platform *platform)
{
	const struct number_list *copy = &platform->copy[COPY_CURVE_PEER].y;
	return copy->count ? copy->value[0] : 0;
}

/* What a step of a ring takes longer than the kernel that has one step, ns. */
static double step_ns(const struct platform *platform)
{
	return platform->nccl_step_ns > 0 ? platform->nccl_step_ns : platform->event_peer_ns;
}

/* Bytes per second on a link, by how many there are. */
static double link_rate(const struct platform *platform, int64_t bytes)
{
	const struct curve *share = &platform->nccl_share;

	return platform->nvlink_bytes_per_s *
	       (share->x.count ? curve_at_linear(share, (double)bytes) : 1);
}

double ring_price_ps(const struct schedule_collective *what, const struct platform *platform)
{
	const double least_ns = platform->nccl_least_ns > 0 ? platform->nccl_least_ns
							    : ring_least_copy_ns(platform),
		     more_ns = what->of_two ? least_ns : step_ns(platform),
		     moves_ps = (double)what->link_bytes / link_rate(platform, what->link_bytes) *
				1e12;

	return what->steps ? 1000 * (least_ns + (what->steps - 1) * more_ns) + moves_ps : 0;
}
