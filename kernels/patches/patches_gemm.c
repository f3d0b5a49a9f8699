/* SPDX-License-Identifier: MIT
 * One product for all blocks, on the CPU: its residuals, the product and the update as three steps.
 * Planes that are each other's mirror along z are packed as their sum and their difference, which
 * the inverse of a block keeps apart (patches.h): the product is two, of half the side.
 */
#include <stdlib.h>
#include <string.h>

#include "patches_cells.h"
#include "patches_relax.h"
#include "traces/base/util.h"

/* A block's part of the packed matrices: of sums [0] and of differences [1]. */
struct halves {
	double *at[2];
	int32_t cells[2];
};

static struct halves halves_of(const struct patches_step *step, const struct patches_box *box,
			       int32_t index, bool correction)
{
	const int64_t block = box->first_block - step->box[step->first].first_block + index;
	const int32_t plane = step->block[0] * step->block[1], planes = step->block[2],
		      sums = patches_sums(planes) * plane, cells = planes * plane;
	double *packed = step->packed + (correction ? (int64_t)step->blocks * cells : 0);
	return (struct halves){ { packed + block * sums,
				  packed + (int64_t)step->blocks * sums + block * (cells - sums) },
				{ sums, cells - sums } };
}

static int32_t blocks_of(const struct patches_box *box)
{
	return box->blocks[0] * box->blocks[1] * box->blocks[2];
}

void patches_gemm_residual_cpu(const void *args)
{
	const struct patches_step *step = args;
	const int32_t plane = step->block[0] * step->block[1], planes = step->block[2];
	double *r = xcalloc((size_t)plane * (size_t)planes, sizeof(*r));
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < blocks_of(box); k++) {
			const struct patches_block b = patches_block_of(step, box, k);
			const struct halves h = halves_of(step, box, k, false);
			patches_block_residual(step, box, &b, r);
			memcpy(h.at[0], r, (size_t)h.cells[0] * sizeof(*r));
			for (int32_t c = 0; c < h.cells[1]; c++) {
				const double mirrored =
					r[(planes - 1 - c / plane) * plane + c % plane];
				h.at[0][c] = r[c] + mirrored;
				h.at[1][c] = r[c] - mirrored;
			}
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
			const struct halves r = halves_of(step, box, k, false),
					    e = halves_of(step, box, k, true);
			const double *column = step->inverse;
			for (int q = 0; q < 2; q++) {
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
	const int32_t plane = step->block[0] * step->block[1], planes = step->block[2];
	double *e = xcalloc((size_t)plane * (size_t)planes, sizeof(*e));
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < blocks_of(box); k++) {
			const struct patches_block b = patches_block_of(step, box, k);
			const struct halves h = halves_of(step, box, k, true);
			memcpy(e, h.at[0], (size_t)h.cells[0] * sizeof(*e));
			for (int32_t c = 0; c < h.cells[1]; c++) {
				e[c] = h.at[0][c] + h.at[1][c];
				e[(planes - 1 - c / plane) * plane + c % plane] =
					h.at[0][c] - h.at[1][c];
			}
			patches_block_update(step, box, &b, e);
		}
	}
	free(e);
}
