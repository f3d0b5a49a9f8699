/* SPDX-License-Identifier: MIT
 * One cell of a link: one text for host and device.
 */
#ifndef WARPREEL_PATCHES_GHOST_H
#define WARPREEL_PATCHES_GHOST_H

#include "patches_cells.h"

/* As enum link_kind (kernels/kit/patch_set.h). */
enum { GHOST_COPY, GHOST_REFLECT, GHOST_COARSE, GHOST_AVERAGE };

PATCHES_INLINE void patches_ghost_cell(const struct patches_ghost_list *ghosts,
				       const struct patches_ghost *link, int32_t a, int32_t b)
{
	double *target = ghosts->target + link->target + (int64_t)b * link->target_b +
			 (int64_t)a * link->target_a;
	const double *source = ghosts->source + link->source;

	if (link->kind == GHOST_AVERAGE) {
		source += 2 * ((int64_t)b * link->source_b + (int64_t)a * link->source_a);
		double sum = 0;
		for (int32_t c = 0; c < 8; c++)
			sum += source[(c & 1) * (int64_t)link->source_a +
				      (c >> 1 & 1) * (int64_t)link->source_b +
				      (c >> 2) * (int64_t)link->source_c];
		*target = sum * 0.125;
	} else if (link->kind == GHOST_COARSE) {
		source += (int64_t)((b + link->odd_b) >> 1) * link->source_b +
			  (int64_t)((a + link->odd_a) >> 1) * link->source_a;
		*target = (2 * *source + target[link->inward]) / 3;
	} else {
		const double value =
			source[(int64_t)b * link->source_b + (int64_t)a * link->source_a];
		*target = link->kind == GHOST_REFLECT ? -value : value;
	}
}

#endif
