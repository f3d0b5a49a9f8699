/* SPDX-License-Identifier: MIT
 * The cells that two patches have in common, seen from one level.
 */
#ifndef WARPREEL_PATCH_SET_INTERNAL_H
#define WARPREEL_PATCH_SET_INTERNAL_H

#include <stdlib.h>

#include "patch_near.h"
#include "patch_set.h"
#include "traces/base/util.h"

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

/* Of the patches that are beside others. patch_near_release frees it. */
static inline void near_of(struct patch_near *near, const struct patch_set *set)
{
	struct near_box *box = xcalloc((size_t)set->count + 1, sizeof(*box));

	for (int k = 0; k < set->count; k++) {
		const struct patch *p = &set->patch[k];

		box[k].level = p->group ? -1 : p->level;
		for (int axis = 0; axis < 3; axis++) {
			box[k].at[axis] = p->at[axis];
			box[k].n[axis] = p->n[axis];
		}
	}
	patch_near_init(near, box, set->count);
	free(box);
}

static inline int64_t cut_cells(const struct cut *cut)
{
	int64_t cells = 1;
	for (int axis = 0; axis < 3; axis++)
		cells *= cut->end[axis] - cut->begin[axis];
	return cells;
}

#endif
