/* SPDX-License-Identifier: MIT
 * Blocks at the rim of a grid that do other work than those within, and which multiprocessor they
 * are on. While there is room, multiprocessors are given blocks in turn, so that one has every
 * sm_count-th block of a row after row: of a grid eight blocks wide half of 132 multiprocessors
 * have no block of the first and last column, and the other half has nothing else but one in two.
 */
#ifndef WARPREEL_GRID_KINDS_H
#define WARPREEL_GRID_KINDS_H

#include <stdbool.h>

#include "warp_program.h"

struct grid_kinds {
	const struct warp_program *within, *rim; /* NULL: all blocks are alike */
	uint32_t grid[2];
};

/* Of the first `blocks` blocks that multiprocessor `sm` is given: whether each is at the rim.
 * Owned by the caller. */
bool *grid_kinds_of(const struct grid_kinds *kinds, int sm_count, int64_t sm, int64_t blocks);
/* Of those that are given `blocks`, the multiprocessor with most of them at the rim, or fewest. */
int64_t grid_kinds_sm(const struct grid_kinds *kinds, int sm_count, int64_t blocks, bool most);
/* Which blocks of those two are at the rim, a bit each: all that a play reads of the grid. At most
 * 64 blocks, more than a multiprocessor holds. */
void grid_kinds_bits(const struct grid_kinds *kinds, int sm_count, int64_t blocks,
		     uint64_t bits[2]);

#endif
