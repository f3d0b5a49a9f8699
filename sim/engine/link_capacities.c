/* SPDX-License-Identifier: MIT
 * What each link can carry, by the platform.
 */
#include "links_internal.h"

#include <math.h>

#include "traces/base/util.h"

/* A link of the host: what it can carry for each number of users. */
static void set_host_link(struct links *links, uint32_t number, const struct curve *share,
			  uint32_t most_users)
{
	struct link *link = &links->link[number];
	link->for_users = xcalloc((size_t)most_users + 1, sizeof(*link->for_users));
	for (uint32_t users = 0; users <= most_users; users++)
		link->for_users[users] =
			share->x.count ? link_per_ps(curve_at_linear(share, (double)users))
				       : INFINITY;
	link->capacity = link->for_users[0];
}

/* What one GPU gets both ways: the measured part of what it gets each way alone, whatever that is
 * set to. */
static double both_ways_per_ps(const struct platform *p)
{
	const double apart = link_first_rate(&p->base->share_h2d) +
			     link_first_rate(&p->base->share_d2h),
		     is = link_first_rate(&p->share_h2d) + link_first_rate(&p->share_d2h);
	if (!p->share_both.x.count || !(apart > 0) || !isfinite(apart))
		return INFINITY;
	return link_per_ps(p->share_both.y.value[0] * is / apart);
}

void links_init(struct links *links, const struct platform *platform, uint32_t gpu_count,
		uint32_t stream_count)
{
	*links = (struct links){ .platform = platform,
				 .gpu_count = gpu_count,
				 .link_count = 3 * gpu_count + 2,
				 .announced_ps = SIM_NEVER };
	size_t most = 5 * (size_t)gpu_count + 2;
	links->link = xcalloc(most, sizeof(*links->link));
	links->flow = xcalloc(stream_count, sizeof(*links->flow));
	for (uint32_t stream = 0; stream < stream_count; stream++)
		links->flow[stream].route = NO_ROUTE;
	links->active = xcalloc(stream_count, sizeof(*links->active));
	links->end_ps = xcalloc(stream_count, sizeof(*links->end_ps));
	links->left = xcalloc(most, sizeof(*links->left));
	links->list = xcalloc(most, sizeof(*links->list));
	for (uint32_t link = 0; link < links->link_count; link++)
		links->link[link].capacity = INFINITY;
	if (!mechanism_on(&platform->mechanisms, MECHANISM_SHARING))
		return;
	for (uint32_t link = 0; link < link_host_up(links); link++)
		links->link[link].capacity = link_per_ps(platform->nvlink_bytes_per_s);
	set_host_link(links, link_host_up(links), &platform->share_d2h, stream_count);
	set_host_link(links, link_host_down(links), &platform->share_h2d, stream_count);
	for (uint32_t gpu = 0; gpu < gpu_count; gpu++)
		links->link[link_both_ways(links, (uint16_t)gpu)].capacity =
			both_ways_per_ps(platform);
}

void links_share_memory(struct links *links, double bytes_per_s)
{
	uint32_t first = links->link_count;
	links->memory_bytes_per_s = bytes_per_s;
	links->link_count = 5 * links->gpu_count + 2;
	for (uint32_t link = first; link < links->link_count; link++)
		links->link[link].capacity = link < link_multiprocessors(links, 0)
						     ? link_per_ps(bytes_per_s)
						     : 1; /* all of them */
}
