/* SPDX-License-Identifier: MIT
 * From the notes of warps to those of blocks: a block begins with its first warp and ends with its
 * last.
 */
#include "block_notes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static bool same_launch(const struct block_note_warp *a, const struct block_note_warp *b)
{
	return a->grid == b->grid && a->kernel == b->kernel && a->grid_blocks == b->grid_blocks;
}

static bool whole(const struct block_note_warp *warp)
{
	return warp->begin_ns && warp->end_ns >= warp->begin_ns &&
	       warp->end_clock >= warp->begin_clock && warp->block < warp->grid_blocks;
}

static int by_block(const void *a, const void *b)
{
	const struct note_block *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

int block_notes_join(const struct block_note_warp *warp, size_t count,
		     struct block_note_launch *launch)
{
	const struct block_note_warp *last = NULL;
	size_t capacity = 0;

	memset(launch, 0, sizeof(*launch));
	for (size_t i = 0; i < count; i++)
		if (whole(&warp[i]) && (!last || warp[i].begin_ns > last->begin_ns))
			last = &warp[i];
	if (!last)
		return 0;
	launch->grid = last->grid;
	launch->grid_blocks = last->grid_blocks;
	launch->kernel = last->kernel;
	launch->first_ns = last->begin_ns;
	for (size_t i = 0; i < count; i++) {
		if (!whole(&warp[i]) || !same_launch(&warp[i], last))
			continue;
		/* The warps of a block lie side by side. */
		struct note_block *block = launch->count ? &launch->block[launch->count - 1] : NULL;

		if (!block || block->block != warp[i].block || block->sm != warp[i].sm) {
			launch->block = grow(launch->block, launch->count, &capacity,
					     sizeof(*launch->block));
			block = &launch->block[launch->count++];
			*block = (struct note_block){ .block = warp[i].block,
						      .sm = warp[i].sm,
						      .begin_ns = warp[i].begin_ns,
						      .end_ns = warp[i].end_ns,
						      .begin_clock = warp[i].begin_clock,
						      .end_clock = warp[i].end_clock };
		}
#define LEAST(field) block->field = warp[i].field < block->field ? warp[i].field : block->field
#define MOST(field) block->field = warp[i].field > block->field ? warp[i].field : block->field
		LEAST(begin_ns);
		LEAST(begin_clock);
		MOST(end_ns);
		MOST(end_clock);
#undef LEAST
#undef MOST
		launch->first_ns =
			warp[i].begin_ns < launch->first_ns ? warp[i].begin_ns : launch->first_ns;
	}
	qsort(launch->block, launch->count, sizeof(*launch->block), by_block);
	return 1;
}
