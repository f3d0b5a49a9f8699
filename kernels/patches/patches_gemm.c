/* SPDX-License-Identifier: MIT
 * One product for all blocks, on the CPU: its residuals, the product and the update as three steps.
 * Cells that are each other's mirror along y and z are packed as their sums and differences, which
 * the inverse of a block keeps apart (patches.h): the product is four, of a quarter of the side.
 */
#include <stdlib.h>
#include <string.h>

#include "patches_cells.h"
#include "patches_relax.h"
#include "traces/base/util.h"

/* A block's column in each of the packed parts. */
struct parts {
	double *at[PATCHES_PARTS];
	int32_t cells[PATCHES_PARTS];
};

static struct parts parts_of(const struct patches_step *step, const struct patches_box *box,
			     int32_t index, bool correction)
{
	const int64_t block = box->first_block - step->box[step->first].first_block + index;
	const int32_t cells = step->block[0] * step->block[1] * step->block[2];
	double *packed = step->packed + (correction ? (int64_t)step->blocks * cells : 0);
	struct parts parts;
	for (int p = 0; p < PATCHES_PARTS; p++) {
		parts.cells[p] = patches_part_side(step->block, p);
		parts.at[p] = packed + block * parts.cells[p];
		packed += (int64_t)step->blocks * parts.cells[p];
	}
	return parts;
}

/* What lies at cells mirrored along an axis of `n` cells `step` apart, as sum in the one and as
 * difference in the other; twice gives twice the values, but for a cell in the middle. */
static void mirror(double *value, int32_t cells, int32_t n, int32_t step)
{
	for (int32_t outer = 0; outer < cells; outer += n * step)
		for (int32_t m = 0; m < n / 2; m++)
			for (int32_t x = 0; x < step; x++) {
				double *one = value + outer + m * step + x,
				       *other = value + outer + (n - 1 - m) * step + x;
				const double sum = *one + *other;
				*other = *one - *other;
				*one = sum;
			}
}

/* A block's values, mirrored, to the parts, or from them. */
static void move(const struct patches_step *step, const struct parts *parts, double *value,
		 bool back)
{
	const int32_t x = step->block[0], y = step->block[1], z = step->block[2];
	for (int p = 0; p < PATCHES_PARTS; p++) {
		const int32_t high = patches_part(y, p & 1);
		double *at = parts->at[p];
		for (int32_t k = 0; k < patches_part(z, p & 2); k++)
			for (int32_t j = 0; j < high; j++, at += x) {
				double *line =
					value +
					((p & 2 ? z - 1 - k : k) * y + (p & 1 ? y - 1 - j : j)) * x;
				memcpy(back ? line : at, back ? at : line, (size_t)x * sizeof(*at));
			}
	}
}

static int32_t blocks_of(const struct patches_box *box)
{
	return box->blocks[0] * box->blocks[1] * box->blocks[2];
}

void patches_gemm_residual_cpu(const void *args)
{
	const struct patches_step *step = args;
	const int32_t x = step->block[0], y = step->block[1], z = step->block[2];
	double *r = xcalloc((size_t)(x * y * z), sizeof(*r));
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < blocks_of(box); k++) {
			const struct patches_block b = patches_block_of(step, box, k);
			const struct parts parts = parts_of(step, box, k, false);
			patches_block_residual(step, box, &b, r);
			mirror(r, b.cells, y, x);
			mirror(r, b.cells, z, x * y);
			move(step, &parts, r, false);
		}
	}
	free(r);
}

void patches_gemm_product_cpu(const void *args)
{
	const struct patches_step *step = args;
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < blocks_of(box); k++) {
			const struct parts r = parts_of(step, box, k, false),
					   e = parts_of(step, box, k, true);
			const double *column = step->inverse;
			for (int q = 0; q < PATCHES_PARTS; q++) {
				memset(e.at[q], 0, (size_t)e.cells[q] * sizeof(double));
				for (int32_t g = 0; g < e.cells[q]; g++, column += e.cells[q])
					for (int32_t l = 0; l < e.cells[q]; l++)
						e.at[q][l] += column[l] * r.at[q][g];
			}
		}
	}
}

void patches_gemm_update_cpu(const void *args)
{
	const struct patches_step *step = args;
	const int32_t x = step->block[0], y = step->block[1], z = step->block[2];
	double *e = xcalloc((size_t)(x * y * z), sizeof(*e));
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < blocks_of(box); k++) {
			const struct patches_block b = patches_block_of(step, box, k);
			const struct parts parts = parts_of(step, box, k, true);
			move(step, &parts, e, true);
			mirror(e, b.cells, y, x);
			mirror(e, b.cells, z, x * y);
			patches_block_update(step, box, &b, e);
		}
	}
	free(e);
}
