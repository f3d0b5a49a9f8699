/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR and red-black SOR in plain C: the references, and what the cpu machine runs.
 * Build with -ffp-contract=off.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mlssor_tiles.h"

static void raise_norm(uint32_t *norm, float change)
{
	uint32_t bits;
	memcpy(&bits, &change, sizeof(bits));
	if (norm && bits > *norm) /* of numbers that are not negative, and NaN */
		*norm = bits;
}

/* A NaN stays. */
static float greater(float most, float change)
{
	change = fabsf(change);
	return change <= most ? most : change;
}

/* Points of a sweep in lexicographic order; the greatest |change|. */
static float update_points(struct mlssor_view view, struct mlssor_range rows,
			   struct mlssor_range columns, float omega)
{
	float most = 0;
	for (int32_t i = rows.begin; i < rows.end; i++) {
		float *line = view.origin + i * view.row;
		for (int32_t j = columns.begin; j < columns.end; j++) {
			float *at = line + j * view.column;
			const float horizontal = at[-1] + at[1],
				    vertical = at[-view.row] + at[view.row], u = *at,
				    next = u + omega * (0.25f * (horizontal + vertical) - u);
			*at = next;
			most = greater(most, next - u);
		}
	}
	return most;
}

void mlssor_sequential_cpu(const void *args)
{
	const struct mlssor_sweep *sweep = args;
	raise_norm(sweep->norm,
		   update_points(mlssor_view_of(sweep), (struct mlssor_range){ 1, sweep->rows + 1 },
				 (struct mlssor_range){ 1, sweep->columns + 1 }, sweep->omega));
}

static void update_tile(const struct mlssor_sweep *sweep, int32_t s, int32_t t, int32_t tile_row,
			int32_t tile_column)
{
	const struct mlssor_axis rows = mlssor_rows(sweep), columns = mlssor_columns(sweep);
	const struct mlssor_view view = mlssor_view_of(sweep);
	for (int32_t q = 0; q < sweep->layers; q++)
		raise_norm(sweep->norm ? sweep->norm + q : NULL,
			   update_points(view, mlssor_tile(&rows, s, tile_row, q),
					 mlssor_tile(&columns, t, tile_column, q), sweep->omega));
}

void mlssor_tiles_cpu(const void *args)
{
	const struct mlssor_sweep *sweep = args;
	const int32_t across = sweep->columns / sweep->width;
	for (int32_t fused = 0; fused <= sweep->fused; fused++)
		for (int32_t s = sweep->begin; s < sweep->end; s++)
			for (int32_t t = 0; t < across; t++)
				update_tile(sweep, s, t,
					    fused ? sweep->tile_column : sweep->tile_row,
					    fused ? sweep->tile_row : sweep->tile_column);
}

void mlssor_redblack_cpu(const void *args)
{
	const struct mlssor_colour *sweep = args;
	const float omega_over_four = sweep->omega * 0.25f, one_minus_omega = 1.0f - sweep->omega;
	float most = 0;
	for (int32_t row = sweep->row_begin; row < sweep->row_end; row++) {
		float *u = sweep->grid + (int64_t)row * sweep->pitch;
		const float *north = u - sweep->pitch, *south = u + sweep->pitch;
		const int32_t odd = (sweep->first_row + row + sweep->colour) & 1;
		for (int32_t j = 2 - odd; j <= sweep->columns; j += 2) {
			const float sum = ((north[j] + south[j]) + u[j - 1]) + u[j + 1],
				    next = omega_over_four * sum + one_minus_omega * u[j];
			most = greater(most, next - u[j]);
			u[j] = next;
		}
	}
	raise_norm(sweep->norm, most);
}
