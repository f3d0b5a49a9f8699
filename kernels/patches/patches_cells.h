/* SPDX-License-Identifier: MIT
 * Blocks of a patch and the residual of a cell: one text for host and device.
 */
#ifndef WARPREEL_PATCHES_CELLS_H
#define WARPREEL_PATCHES_CELLS_H

#include <stddef.h>

#include "patches.h"

struct patches_block {
	int32_t at[3], n[3]; /* cells of the patch */
	int32_t own[3];	     /* first cell of the block, along each axis, whose value it gives */
	int32_t cells;
	int32_t cut; /* index of its inverse */
};

/* Block `index` of a patch, x fastest. */
PATCHES_INLINE struct patches_block patches_block_of(const struct patches_step *step,
						     const struct patches_box *box, int32_t index)
{
	struct patches_block b;
	b.cells = 1;
	b.cut = 0;
	for (int axis = 0; axis < 3; axis++) {
		const int32_t count = box->blocks[axis], k = index % count,
			      side = step->block[axis];
		const int32_t left = box->n[axis] - k * side;

		index /= count;
		b.at[axis] = k * side;
		b.n[axis] = left < side ? left : side;
		b.own[axis] = 0;
		if (left < side && step->overlap) {
			b.at[axis] = box->n[axis] - side;
			b.n[axis] = side;
			b.own[axis] = side - left;
		} else if (left < side) {
			b.cut |= 1 << axis;
		}
		b.cells *= b.n[axis];
	}
	return b;
}

/* f - A u in a cell, in the order of the paper's appendix; with no fused multiply-add, so that all
 * machines agree. */
PATCHES_INLINE double patches_residual(const struct patches_step *step,
				       const struct patches_box *box, const double *u, double f)
{
	double r = f;

	r -= (double)step->stencil[3] * u[box->plane];
	r -= (double)step->stencil[3] * u[-box->plane];
	r -= (double)step->stencil[2] * u[box->pitch];
	r -= (double)step->stencil[2] * u[-box->pitch];
	r -= (double)step->stencil[1] * u[1];
	r -= (double)step->stencil[1] * u[-1];
	r -= (double)step->stencil[0] * u[0];
	return r;
}

/* Offset of a cell of the block from the patch's cell (0, 0, 0), with ghost cells; and without. */
PATCHES_INLINE int64_t patches_u_at(const struct patches_box *box, const struct patches_block *b,
				    int32_t i, int32_t j, int32_t k)
{
	return (int64_t)(b->at[2] + k) * box->plane + (int64_t)(b->at[1] + j) * box->pitch +
	       b->at[0] + i;
}
PATCHES_INLINE int64_t patches_f_at(const struct patches_box *box, const struct patches_block *b,
				    int32_t i, int32_t j, int32_t k)
{
	return ((int64_t)(b->at[2] + k) * box->n[1] + b->at[1] + j) * box->n[0] + b->at[0] + i;
}

#endif
