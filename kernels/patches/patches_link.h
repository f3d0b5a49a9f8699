/* SPDX-License-Identifier: MIT
 * From a link of a set of patches to what kernels are told of it.
 */
#ifndef WARPREEL_PATCHES_LINK_H
#define WARPREEL_PATCHES_LINK_H

#include "kernels/kit/patch_set.h"
#include "patches.h"

/* Of patches whose cells begin at `target` and `source`. */
static inline struct patches_ghost patches_ghost_of(const struct patch_link *link, int64_t target,
						    int64_t source)
{
	return (struct patches_ghost){
		.target = target + link->target_at,
		.source = source + link->source_at,
		.kind = link->kind,
		.count_a = link->count_a,
		.count_b = link->count_b,
		.target_a = link->target_a,
		.target_b = link->target_b,
		.source_a = link->source_a,
		.source_b = link->source_b,
		.source_c = link->source_c,
		.odd_a = link->odd_a,
		.odd_b = link->odd_b,
		.inward = link->inward,
	};
}

#endif
