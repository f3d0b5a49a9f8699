/* SPDX-License-Identifier: MIT
 * Which of many boxes lie near another one: candidates found without going through all of them,
 * whatever their sizes: boxes of a level are kept apart by size, so that a large one does not make
 * cells large for all.
 */
#ifndef WARPREEL_PATCH_NEAR_H
#define WARPREEL_PATCH_NEAR_H

#include <stdint.h>

struct near_box {
	int32_t level;	     /* below 0: never found */
	int32_t at[3], n[3]; /* in cells; at least one a side */
};

struct patch_near {
	struct near_place {
		int32_t shelf, cell[3], box;
	} * place;	    /* of the boxes that may be found, sorted */
	int count, shelves; /* a shelf: boxes of one level and size, sizes in powers of two */
	int32_t (*side)[3]; /* of a shelf's cells: the longest side of its boxes */
	struct near_extent {
		int32_t low[3], high[3];
	} * extent; /* of a shelf: the cells its boxes begin in */
	int32_t *found;
};

/* patch_near_release frees it. */
void patch_near_init(struct patch_near *near, const struct near_box *box, int count);
void patch_near_release(struct patch_near *near);

/* Boxes of a level, all that share cells with the one from `low` up to `high` among them, in
 * ascending order; how many. *found is the index's, until the next search. */
int patch_near_find(struct patch_near *near, int32_t level, const int32_t low[3],
		    const int32_t high[3], const int32_t **found);

#endif
