/* SPDX-License-Identifier: MIT */
#include "mlssor_geometry.h"

#include <string.h>

#include "kernels/kit/launch_shape.h"

int64_t mlssor_shared_bytes(int64_t height, int64_t width, int64_t threads, int rows_only)
{
	return 4 * (rows_only ? 3 : height + 1) * (width * threads + 1);
}

static int32_t path_of(const struct mlssor_sweep *sweep)
{
	const int32_t less = sweep->height < sweep->width ? sweep->height : sweep->width,
		      sides = sweep->height * 1000 + sweep->width + (sweep->backward ? 500000 : 0);
	return sweep->layers == less / 2 ? sides : sweep->layers * 1000000 + sides;
}

static void tiles(const struct mlssor_sweep *sweep, int rows_only, struct launch_geometry *geometry)
{
	memset(geometry, 0, sizeof(*geometry));
	if (sweep->end <= sweep->begin)
		return;
	launch_shape(
		geometry,
		(sweep->fused ? 2 : 1) * launch_divide_up((uint32_t)(sweep->columns / sweep->width),
							  (uint32_t)sweep->threads),
		(uint32_t)(sweep->end - sweep->begin), (uint32_t)sweep->threads, 1, path_of(sweep));
	geometry->shared_bytes = (uint32_t)mlssor_shared_bytes(sweep->height, sweep->width,
							       sweep->threads, rows_only);
}

void mlssor_full_geometry(const void *args, struct launch_geometry *geometry)
{
	tiles(args, 0, geometry);
}

void mlssor_rows_geometry(const void *args, struct launch_geometry *geometry)
{
	tiles(args, 1, geometry);
}

/* mlssor_tuned.cu: columns of a tile are padded so that 32 lanes find 32 banks. */
void mlssor_tuned_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct mlssor_sweep *sweep = args;

	tiles(args, 0, geometry);
	geometry->shared_bytes = (uint32_t)(4 * (sweep->height + 1) * sweep->width *
					    (sweep->threads + 32 / sweep->width));
}

/* mlssor_staged.cuh: rows of subdomains overlap in one of points, and so do those of K12 and K21,
 * half a subdomain lower; columns are padded so that 32 lanes find 32 banks. */
static void regions(const struct mlssor_sweep *sweep, int32_t row_words,
		    struct launch_geometry *geometry)
{
	const int32_t high = sweep->threads / 32, side = sweep->width;

	memset(geometry, 0, sizeof(*geometry));
	if (sweep->end <= sweep->begin)
		return;
	launch_shape(geometry, launch_divide_up((uint32_t)(sweep->columns / side), 32),
		     launch_divide_up((uint32_t)(sweep->end - sweep->begin), (uint32_t)high),
		     (sweep->fused ? 2 : 1) * (uint32_t)sweep->threads, 1, path_of(sweep));
	geometry->shared_bytes =
		(uint32_t)(4 * (high * side + 1 + (sweep->fused ? side / 2 : 0)) * row_words);
}

void mlssor_staged_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct mlssor_sweep *sweep = args;

	regions(sweep, sweep->width * (32 + 32 / sweep->width), geometry);
}

/* mlssor_chunked.cuh: as many words as a row has, in chunks of four. */
void mlssor_chunked_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct mlssor_sweep *sweep = args;

	regions(sweep, 32 * sweep->width + 4 + (sweep->fused ? sweep->width / 2 : 0), geometry);
}

void mlssor_wavefront_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct mlssor_sweep *sweep = args;

	if (sweep->fused)
		mlssor_staged_geometry(args, geometry);
	else
		mlssor_chunked_geometry(args, geometry);
	geometry->grid[0] += geometry->grid[0] > 0;
}

void mlssor_redblack_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct mlssor_colour *sweep = args;
	const int32_t rows = sweep->row_end - sweep->row_begin;

	memset(geometry, 0, sizeof(*geometry));
	if (rows <= 0)
		return;
	/* A thread's points are of one colour: point_columns of every other column. */
	launch_shape(geometry,
		     launch_divide_up((uint32_t)(sweep->columns + 1) / 2,
				      (uint32_t)(sweep->threads * sweep->point_columns)),
		     launch_divide_up((uint32_t)rows, (uint32_t)sweep->point_rows),
		     (uint32_t)sweep->threads, 1, sweep->point_rows * 1000 + sweep->point_columns);
}
