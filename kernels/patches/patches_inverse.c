/* SPDX-License-Identifier: MIT */
#include "patches_inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "patches_geometry.h"
#include "traces/base/util.h"

void patches_sines(int32_t n, double *sines)
{
	for (int32_t m = 0; m < n; m++)
		for (int32_t i = 0; i < n; i++)
			sines[m * n + i] =
				sqrt(2.0 / (n + 1)) *
				sin(M_PI * (double)((m + 1) * (i + 1) % (2 * n + 2)) / (n + 1));
}

void patches_diagonal(const double stencil[4], const int32_t n[3], double *diagonal)
{
	double part[3][PATCHES_SIDE_MOST];
	for (int axis = 0; axis < 3; axis++)
		for (int32_t m = 0; m < n[axis]; m++)
			part[axis][m] = 2 * stencil[1 + axis] * cos(M_PI * (m + 1) / (n[axis] + 1));
	for (int32_t k = 0; k < n[2]; k++)
		for (int32_t j = 0; j < n[1]; j++)
			for (int32_t i = 0; i < n[0]; i++)
				*diagonal++ =
					1 / (stencil[0] + part[0][i] + part[1][j] + part[2][k]);
}

/* Along one axis of `n` cells `step` apart, for all lines of a block. */
static void transform(const double *sines, int32_t n, int32_t step, int32_t cells,
		      const double *from, double *to)
{
	for (int32_t outer = 0; outer < cells; outer += n * step)
		for (int32_t m = 0; m < n; m++) {
			double *line = to + outer + m * step;
			for (int32_t x = 0; x < step; x++)
				line[x] = 0;
			for (int32_t i = 0; i < n; i++) {
				const double s = sines[m * n + i];
				const double *other = from + outer + i * step;
				for (int32_t x = 0; x < step; x++)
					line[x] += s * other[x];
			}
		}
}

void patches_sine_apply(const double *const sines[3], const double *diagonal, const int32_t n[3],
			const double *r, double *e, double *scratch)
{
	const int32_t cells = n[0] * n[1] * n[2], plane = n[0] * n[1];
	transform(sines[0], n[0], 1, cells, r, e);
	transform(sines[1], n[1], n[0], cells, e, scratch);
	transform(sines[2], n[2], plane, cells, scratch, e);
	for (int32_t c = 0; c < cells; c++)
		e[c] *= diagonal[c];
	transform(sines[2], n[2], plane, cells, e, scratch);
	transform(sines[1], n[1], n[0], cells, scratch, e);
	transform(sines[0], n[0], 1, cells, e, scratch);
	memcpy(e, scratch, (size_t)cells * sizeof(*e));
}

void patches_inverse_sine(const double stencil[4], const int32_t n[3], double *inverse)
{
	const int32_t cells = n[0] * n[1] * n[2];
	double sines[3][PATCHES_SIDE_MOST * PATCHES_SIDE_MOST];
	const double *const pointers[3] = { sines[0], sines[1], sines[2] };
	double *diagonal = xcalloc(3 * (size_t)cells, sizeof(*diagonal)), *unit = diagonal + cells,
	       *scratch = unit + cells;
	for (int axis = 0; axis < 3; axis++)
		patches_sines(n[axis], sines[axis]);
	patches_diagonal(stencil, n, diagonal);
	for (int32_t c = 0; c < cells; c++) {
		unit[c] = 1;
		patches_sine_apply(pointers, diagonal, n, unit, inverse + (int64_t)c * cells,
				   scratch);
		unit[c] = 0;
	}
	free(diagonal);
}

int patches_inverse_lapack(const double stencil[4], const int32_t n[3], double *inverse)
{
	const struct blas *blas = lapack_load();
	const int32_t cells = n[0] * n[1] * n[2], step[3] = { 1, n[0], n[0] * n[1] };
	if (!blas)
		return -1;
	memset(inverse, 0, (size_t)cells * (size_t)cells * sizeof(*inverse));
	for (int32_t c = 0; c < cells; c++) {
		const int32_t at[3] = { c % n[0], c / n[0] % n[1], c / (n[0] * n[1]) };
		inverse[(int64_t)c * cells + c] = stencil[0];
		for (int axis = 0; axis < 3; axis++)
			if (at[axis] + 1 < n[axis]) /* the lower triangle */
				inverse[(int64_t)c * cells + c + step[axis]] = stencil[1 + axis];
	}
	int rc = blas->dpotrf(BLAS_COLUMNS, 'L', cells, inverse, cells);
	if (!rc)
		rc = blas->dpotri(BLAS_COLUMNS, 'L', cells, inverse, cells);
	if (rc)
		return report("the matrix of a block of %d.%d.%d cells is not positive definite "
			      "(LAPACK: %d)",
			      n[0], n[1], n[2], rc);
	for (int32_t c = 0; c < cells; c++)
		for (int32_t r = 0; r < c; r++)
			inverse[(int64_t)c * cells + r] = inverse[(int64_t)r * cells + c];
	return 0;
}

int64_t patches_inverse_parts_elements(const int32_t n[3])
{
	int64_t elements = 0;
	for (int part = 0; part < PATCHES_PARTS; part++) {
		const int64_t cells =
			(int64_t)n[0] * patches_part(n[1], part & 1) * patches_part(n[2], part & 2);
		elements += cells * cells;
	}
	return elements;
}

void patches_inverse_parts(const int32_t n[3], double *inverse)
{
	const int32_t plane = n[0] * n[1], cells = plane * n[2];
	const size_t bytes = (size_t)cells * (size_t)cells * sizeof(*inverse);
	double *whole = xcalloc(1, bytes);
	memcpy(whole, inverse, bytes);
	for (int part = 0; part < PATCHES_PARTS; part++) {
		const int32_t high = patches_part(n[1], part & 1),
			      deep = patches_part(n[2], part & 2), line = n[0] * high;
		const double y = part & 1 ? -1 : 1, z = part & 2 ? -1 : 1;
		for (int32_t c = 0; c < line * deep; c++) { /* a column */
			const int32_t i = c % n[0], j = c / n[0] % high, k = c / line;
			const double *of[4];
			for (int m = 0; m < 4; m++)
				of[m] = whole + (int64_t)((m & 2 ? n[2] - 1 - k : k) * plane +
							  (m & 1 ? n[1] - 1 - j : j) * n[0] + i) *
							cells;
			for (int32_t r = 0; r < line * deep; r++) {
				const int32_t row = r / line * plane + r % line;
				*inverse++ = 0.25 * (of[0][row] + y * of[1][row] +
						     z * (of[2][row] + y * of[3][row]));
			}
		}
	}
	free(whole);
}

/* ---- tables ---- */

/* A kind of block: sides, and where its tables are. */
struct kind {
	int32_t n[3], inverse, diagonal;
};

struct kinds {
	struct kind *kind;
	size_t count, capacity;
};

static const struct kind *kind_of(struct kinds *kinds, const int32_t n[3],
				  struct patches_tables *tables)
{
	const int64_t cells = (int64_t)n[0] * n[1] * n[2];
	for (size_t k = 0; k < kinds->count; k++)
		if (!memcmp(kinds->kind[k].n, n, sizeof(kinds->kind[k].n)))
			return &kinds->kind[k];
	GROW(kinds->kind, kinds->count, kinds->capacity);
	struct kind *kind = &kinds->kind[kinds->count++];
	*kind = (struct kind){ { n[0], n[1], n[2] },
			       (int32_t)tables->inverse_elements,
			       (int32_t)tables->diagonal_elements };
	tables->inverse_elements += cells * cells;
	tables->diagonal_elements += (cells + 1) / 2 * 2; /* pairs are read at once */
	return kind;
}

static struct patches_box box_of(struct patches_tables *tables, const struct patches_params *p,
				 const struct patch *patch, struct kinds *kinds)
{
	struct patches_box box = { .origin = patch->origin,
				   .first_cell = patch->first_cell,
				   .pitch = patch->pitch,
				   .plane = patch->plane };
	for (int axis = 0; axis < 3; axis++) {
		box.n[axis] = patch->n[axis];
		box.blocks[axis] = patches_blocks(patch->n[axis], p->block[axis]);
	}
	for (int cut = 0; cut < PATCHES_CUTS; cut++) {
		int32_t n[3];
		for (int axis = 0; axis < 3; axis++)
			n[axis] = cut >> axis & 1 && !p->overlap
					  ? patches_last(patch->n[axis], p->block[axis])
					  : p->block[axis];
		const struct kind *kind = kind_of(kinds, n, tables);
		box.inverse[cut] = kind->inverse;
		box.diagonal[cut] = kind->diagonal;
	}
	return box;
}

static int fill_inverses(struct patches_tables *tables, const struct patches_params *p,
			 const struct kinds *kinds)
{
	if (p->invert != INVERT_SINE && !lapack_load()) /* not part of what it takes */
		return -1;
	const int64_t begin = monotonic_ns();
	for (size_t k = 0; k < kinds->count; k++) {
		const struct kind *kind = &kinds->kind[k];
		double *inverse = tables->inverse + kind->inverse;
		if (p->invert == INVERT_SINE)
			patches_inverse_sine(p->stencil, kind->n, inverse);
		else if (patches_inverse_lapack(p->stencil, kind->n, inverse))
			return -1;
	}
	/* What it costs not to know that blocks are alike. */
	for (int64_t b = 0; p->invert == INVERT_ALL && b < tables->blocks; b++)
		if (patches_inverse_lapack(p->stencil, kinds->kind[0].n,
					   tables->inverse + kinds->kind[0].inverse))
			return -1;
	tables->invert_ns = monotonic_ns() - begin;
	return 0;
}

/* Of 8, 16 and 32 the largest that leaves fewest lanes idle in the narrowest patch. */
static int32_t tile_side(const struct patch_set *set)
{
	int32_t narrow = PATCH_SIDE_MOST, side = 32;
	for (int k = 0; k < set->count; k++)
		narrow = set->patch[k].n[0] < narrow ? set->patch[k].n[0] : narrow;
	for (int32_t s = 16; s >= 8; s /= 2)
		if (patches_ceil(narrow, s) * s < patches_ceil(narrow, side) * side)
			side = s;
	return side;
}

int patches_tables_make(struct patches_tables *tables, const struct patches_params *params,
			const struct patch_set *set, uint32_t gpus, bool compute)
{
	struct kinds kinds = { 0 };
	int32_t index = 0;
	int rc = -1;
	*tables = (struct patches_tables){ 0 };
	tables->box = xcalloc((size_t)set->count, sizeof(*tables->box));
	tables->box_of = xcalloc((size_t)set->count, sizeof(*tables->box_of));
	tables->first = xcalloc((size_t)gpus + 1, sizeof(*tables->first));
	tables->side = tile_side(set);
	tables->diagonal_elements = PATCHES_TILE * PATCHES_SINES;
	for (uint32_t g = 0; g < gpus; g++) {
		int64_t blocks = 0, tiles = 0;
		tables->first[g] = index;
		for (int k = 0; k < set->count; k++) {
			const struct patch *patch = &set->patch[k];
			if (patch->gpu != g)
				continue;
			struct patches_box box = box_of(tables, params, patch, &kinds);
			box.first_block = (int32_t)blocks;
			box.first_tile = (int32_t)tiles;
			blocks += (int64_t)box.blocks[0] * box.blocks[1] * box.blocks[2];
			tiles += patches_tiles(box.n, tables->side);
			tables->box_of[k] = index;
			tables->box[index++] = box;
		}
		tables->blocks += blocks;
		if (blocks > INT32_MAX || tables->inverse_elements > INT32_MAX) {
			report("patches %s in blocks of %d.%d.%d: too many blocks",
			       params->set_text, params->block[0], params->block[1],
			       params->block[2]);
			goto out;
		}
	}
	tables->first[gpus] = index;
	if (!params->kernel->dense)
		tables->inverse_elements = 0;
	const int64_t whole_elements = tables->inverse_elements;
	if (params->kernel->gemm) /* blocks of one kind */
		tables->inverse_elements = patches_inverse_parts_elements(kinds.kind[0].n);
	if (compute) {
		tables->diagonal = xcalloc((size_t)tables->diagonal_elements + 1, sizeof(double));
		for (int32_t n = 1; n <= PATCHES_TILE; n++)
			patches_sines(n, tables->diagonal + (n - 1) * PATCHES_SINES);
		for (size_t k = 0; k < kinds.count; k++)
			patches_diagonal(params->stencil, kinds.kind[k].n,
					 tables->diagonal + kinds.kind[k].diagonal);
		tables->inverse = xcalloc((size_t)whole_elements + 1, sizeof(double));
		if (params->kernel->dense && fill_inverses(tables, params, &kinds))
			goto out;
		if (params->kernel->gemm)
			patches_inverse_parts(kinds.kind[0].n, tables->inverse);
	}
	rc = 0;
out:
	free(kinds.kind);
	return rc;
}

void patches_tables_release(struct patches_tables *tables)
{
	free(tables->box);
	free(tables->box_of);
	free(tables->first);
	free(tables->inverse);
	free(tables->diagonal);
	*tables = (struct patches_tables){ 0 };
}
