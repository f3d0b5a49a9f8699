/* SPDX-License-Identifier: MIT
 * What the CPU programs share: a block at a time.
 */
#ifndef WARPREEL_PATCHES_RELAX_H
#define WARPREEL_PATCHES_RELAX_H

#include <stdbool.h>

#include "patches_cells.h"
#include "patches_ghost.h"

/* r, e: [cells of the block], x fastest. */
void patches_block_residual(const struct patches_step *step, const struct patches_box *box,
			    const struct patches_block *b, double *r);
void patches_block_product(const struct patches_step *step, const struct patches_box *box,
			   const struct patches_block *b, const double *r, double *e);
/* v = u + omega e where the block gives the value. */
void patches_block_update(const struct patches_step *step, const struct patches_box *box,
			  const struct patches_block *b, const double *e);
/* order: [count]; as the blocks are where step->wave is 0. */
void patches_draw_order(const struct patches_step *step, int32_t patch, int32_t *order,
			int32_t count);

#endif
