/* SPDX-License-Identifier: MIT
 * Which link has which number.
 */
#ifndef WARPREEL_LINKS_INTERNAL_H
#define WARPREEL_LINKS_INTERNAL_H

#include "links.h"

#include <math.h>

enum { NO_ROUTE = UINT32_MAX };

/* link numbering: 2g = GPU g out, 2g + 1 = GPU g in, then host up (device to host) and host down,
 * then each GPU's own way to the host, both directions, then the GPUs' memories, then their
 * multiprocessors. */
static inline uint32_t link_host_up(const struct links *links)
{
	return 2 * links->gpu_count;
}

static inline uint32_t link_host_down(const struct links *links)
{
	return 2 * links->gpu_count + 1;
}

static inline uint32_t link_both_ways(const struct links *links, uint16_t gpu)
{
	return 2 * links->gpu_count + 2 + gpu;
}

static inline double link_per_ps(double bytes_per_s)
{
	return bytes_per_s > 0 ? bytes_per_s * 1e-12 : INFINITY;
}

/* Of one GPU alone, bytes per s; 0: it is not known. */
static inline double link_first_rate(const struct curve *share)
{
	return share->x.count ? share->y.value[0] : 0;
}

static inline uint32_t link_memory(const struct links *links, uint16_t gpu)
{
	return 3 * links->gpu_count + 2 + gpu;
}

static inline uint32_t link_multiprocessors(const struct links *links, uint16_t gpu)
{
	return 4 * links->gpu_count + 2 + gpu;
}

#endif
