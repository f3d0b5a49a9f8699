/* SPDX-License-Identifier: MIT
 * The cells that two patches have in common, seen from one level.
 */
#ifndef WARPREEL_PATCH_SET_INTERNAL_H
#define WARPREEL_PATCH_SET_INTERNAL_H

#include "patch_set.h"

struct cut {
	int32_t begin[3], end[3];
};

/* The cells of `a` seen `up` levels coarser that are in `b`; false when there are none. */
static inline bool cut_of(const struct patch *a, int up, const struct patch *b, struct cut *cut)
{
	for (int axis = 0; axis < 3; axis++) {
		const int32_t begin = a->at[axis] >> up, end = (a->at[axis] + a->n[axis]) >> up;
		cut->begin[axis] = begin > b->at[axis] ? begin : b->at[axis];
		cut->end[axis] = end < b->at[axis] + b->n[axis] ? end : b->at[axis] + b->n[axis];
		if (cut->begin[axis] >= cut->end[axis])
			return false;
	}
	return true;
}

static inline int64_t cut_cells(const struct cut *cut)
{
	int64_t cells = 1;
	for (int axis = 0; axis < 3; axis++)
		cells *= cut->end[axis] - cut->begin[axis];
	return cells;
}

#endif
