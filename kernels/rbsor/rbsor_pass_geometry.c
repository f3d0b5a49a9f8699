/* SPDX-License-Identifier: MIT */
#include "rbsor_geometry.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/kit/launch_shape.h"

#define KERNEL(name, geometry, depth, lanes_f32, rows_f32, blocks_f32, lanes_f64, rows_f64,        \
	       blocks_f64)                                                                         \
	{ { "rbsor_" #name "_f32", "rbsor_" #name "_f64" },                                        \
	  { rbsor_##geometry##_f32_geometry, rbsor_##geometry##_f64_geometry },                    \
	  depth,                                                                                   \
	  { { lanes_f32, rows_f32, blocks_f32 }, { lanes_f64, rows_f64, blocks_f64 } } },
static const struct rbsor_pass_kernel pass_kernels[] = {
#define PASS(name, ...) KERNEL(name, pass, __VA_ARGS__)
#include "rbsor_passes.def"
#undef PASS
};
static const struct rbsor_pass_kernel trapezoid_kernels[] = {
#define PASS(name, ...) KERNEL(name, trapezoid, __VA_ARGS__)
#include "rbsor_trapezoids.def"
#undef PASS
};
#undef KERNEL

const struct rbsor_pass_kernel *rbsor_pass_kernel_of(int depth, bool trapezoid)
{
	trapezoid = trapezoid && depth >= trapezoid_kernels[0].depth;
	const struct rbsor_pass_kernel *kernel =
		trapezoid ? trapezoid_kernels +
				    sizeof(trapezoid_kernels) / sizeof(trapezoid_kernels[0]) - 1
			  : pass_kernels + sizeof(pass_kernels) / sizeof(pass_kernels[0]) - 1;

	while (kernel->depth > depth)
		kernel--;
	return kernel;
}

/*
 * A chunk begins and ends with rows that others have, too; but what is at work should lie near each
 * other in memory. So blocks fill the places that a GPU of 132 SMs has a few times over, as long as
 * chunks stay long.
 */
enum { SMS = 132, LONG_ROWS = 500, LEAST_ROWS = 32 };

static uint32_t chunk_rows(const struct rbsor_pass_shape *shape, uint32_t rows, uint32_t across)
{
	uint32_t chunk = 0;

	for (uint32_t waves = 4; waves > 0 && chunk < LONG_ROWS; waves /= 2) {
		const uint32_t down = waves * SMS * (uint32_t)shape->blocks / across;

		chunk = launch_divide_up(rows, down ? down : 1);
	}
	return chunk < LEAST_ROWS ? LEAST_ROWS : chunk;
}

/* A pass of one iteration does not stream: warps of a block lie below each other, and the first row
 * is one early where the colours want it. */
static int32_t once(const struct rbsor_pass_shape *shape, uint32_t rows, uint32_t tiles,
		    struct launch_geometry *geometry)
{
	const uint32_t chunk = PASS_TILES * (uint32_t)shape->rows;

	launch_shape(geometry, tiles, launch_divide_up(rows + 1, chunk), 32 * PASS_TILES, 1, 0);
	return (int32_t)chunk;
}

/* Tiles beside each other, and the rows and columns that they do not store. */
static uint32_t tiles_of(const struct rbsor_pass *pass, const struct rbsor_pass_shape *shape,
			 bool f64)
{
	const int32_t sweeps = 2 * pass->depth, piece = f64 ? 2 : 4,
		      overlap = (sweeps + piece - 1) / piece * piece;

	return launch_divide_up((uint32_t)pass->columns,
				(uint32_t)(32 * shape->lanes - 2 * overlap));
}

/* Chunks of `chunk` rows, `warps` tiles a block. */
static int32_t chunks(const struct rbsor_pass *pass, const struct rbsor_pass_shape *shape,
		      uint32_t tiles, uint32_t warps, uint32_t chunk,
		      struct launch_geometry *geometry)
{
	const uint32_t rows = (uint32_t)(pass->row_end - pass->row_begin);

	launch_shape(geometry, launch_divide_up(tiles, warps), launch_divide_up(rows, chunk),
		     32 * warps, 1, 0);
	geometry->steps = (int32_t)launch_divide_up(chunk + (uint32_t)(4 * pass->depth + 1),
						    (uint32_t)shape->rows);
	return (int32_t)chunk;
}

static int32_t chunk_of(const struct rbsor_pass *pass, bool f64, struct launch_geometry *geometry)
{
	const int32_t rows = pass->row_end - pass->row_begin;
	const struct rbsor_pass_shape *shape =
		&rbsor_pass_kernel_of(pass->depth, false)->shape[f64];

	memset(geometry, 0, sizeof(*geometry));
	if (rows <= 0 || pass->columns < 3)
		return 0;
	const uint32_t tiles = tiles_of(pass, shape, f64);
	if (pass->depth == 1)
		return once(shape, (uint32_t)rows, tiles, geometry);
	return chunks(pass, shape, tiles, PASS_TILES,
		      chunk_rows(shape, (uint32_t)rows, launch_divide_up(tiles, PASS_TILES)),
		      geometry);
}

/*
 * Of a trapezoid, a chunk begins with 4 depth rows that others have, too, of which half the updates
 * are spared. Blocks of fewer tiles fill the places of a device more evenly. Of the ways that fill
 * them a few times over, that of fewest steps; or, hardly longer, of shorter chunks, as above.
 */
static const double HARDLY = 1.02;
enum { MOST_WAVES = 4 };

static int32_t even_chunk_of(const struct rbsor_pass *pass, bool f64,
			     struct launch_geometry *geometry)
{
	const int32_t rows = pass->row_end - pass->row_begin;
	const struct rbsor_pass_shape *shape = &rbsor_pass_kernel_of(pass->depth, true)->shape[f64];
	uint32_t least = UINT32_MAX, best_chunk = 0, best_warps = PASS_TILES;

	memset(geometry, 0, sizeof(*geometry));
	if (rows <= 0 || pass->columns < 3)
		return 0;
	const uint32_t tiles = tiles_of(pass, shape, f64);
	for (uint32_t waves = 1; waves <= MOST_WAVES; waves++)
		for (uint32_t warps = PASS_TILES; warps > 0; warps /= 2) {
			const uint32_t places =
				waves * SMS * (uint32_t)shape->blocks * PASS_TILES / warps;
			const uint32_t down = places / launch_divide_up(tiles, warps);
			const uint32_t chunk = launch_divide_up((uint32_t)rows, down ? down : 1);
			const uint32_t steps = waves * (chunk + 2 * (uint32_t)pass->depth);

			if (steps < least ||
			    (waves > 1 && chunk >= LONG_ROWS && steps < HARDLY * least)) {
				least = steps < least ? steps : least;
				best_chunk = chunk;
				best_warps = warps;
			}
		}
	return chunks(pass, shape, tiles, best_warps, best_chunk, geometry);
}

#define GEOMETRIES(name, of)                                                                       \
	int32_t rbsor_##name##_chunk_f32(const void *args, struct launch_geometry *geometry)       \
	{                                                                                          \
		return of(args, false, geometry);                                                  \
	}                                                                                          \
	int32_t rbsor_##name##_chunk_f64(const void *args, struct launch_geometry *geometry)       \
	{                                                                                          \
		return of(args, true, geometry);                                                   \
	}                                                                                          \
	void rbsor_##name##_f32_geometry(const void *args, struct launch_geometry *geometry)       \
	{                                                                                          \
		of(args, false, geometry);                                                         \
	}                                                                                          \
	void rbsor_##name##_f64_geometry(const void *args, struct launch_geometry *geometry)       \
	{                                                                                          \
		of(args, true, geometry);                                                          \
	}
GEOMETRIES(pass, chunk_of)
GEOMETRIES(trapezoid, even_chunk_of)
