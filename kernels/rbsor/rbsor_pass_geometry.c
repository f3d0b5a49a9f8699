/* SPDX-License-Identifier: MIT */
#include "rbsor_geometry.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/kit/launch_shape.h"

static const struct rbsor_pass_kernel rbsor_pass_kernels[] = {
#define PASS(name, depth, lanes_f32, rows_f32, blocks_f32, lanes_f64, rows_f64, blocks_f64)        \
	{ { "rbsor_" #name "_f32", "rbsor_" #name "_f64" },                                        \
	  depth,                                                                                   \
	  { { lanes_f32, rows_f32, blocks_f32 }, { lanes_f64, rows_f64, blocks_f64 } } },
#include "rbsor_passes.def"
#undef PASS
};

const struct rbsor_pass_kernel *rbsor_pass_kernel_of(int depth)
{
	const struct rbsor_pass_kernel *kernel =
		rbsor_pass_kernels + sizeof(rbsor_pass_kernels) / sizeof(rbsor_pass_kernels[0]) - 1;

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

static int32_t chunk_of(const struct rbsor_pass *pass, bool f64, struct launch_geometry *geometry)
{
	const int32_t rows = pass->row_end - pass->row_begin, sweeps = 2 * pass->depth;
	const struct rbsor_pass_shape *shape = &rbsor_pass_kernel_of(pass->depth)->shape[f64];
	const int32_t piece = f64 ? 2 : 4, overlap = (sweeps + piece - 1) / piece * piece;

	memset(geometry, 0, sizeof(*geometry));
	if (rows <= 0 || pass->columns < 3)
		return 0;
	const uint32_t tiles = launch_divide_up((uint32_t)pass->columns,
						(uint32_t)(32 * shape->lanes - 2 * overlap)),
		       across = launch_divide_up(tiles, PASS_TILES);
	if (pass->depth == 1)
		return once(shape, (uint32_t)rows, tiles, geometry);
	const uint32_t chunk = chunk_rows(shape, (uint32_t)rows, across);
	launch_shape(geometry, across, launch_divide_up((uint32_t)rows, chunk), 32 * PASS_TILES, 1,
		     0);
	geometry->steps = (int32_t)launch_divide_up(chunk + (uint32_t)(2 * sweeps + 1),
						    (uint32_t)shape->rows);
	return (int32_t)chunk;
}

int32_t rbsor_pass_chunk_f32(const void *args, struct launch_geometry *geometry)
{
	return chunk_of(args, false, geometry);
}

int32_t rbsor_pass_chunk_f64(const void *args, struct launch_geometry *geometry)
{
	return chunk_of(args, true, geometry);
}

void rbsor_pass_f32_geometry(const void *args, struct launch_geometry *geometry)
{
	chunk_of(args, false, geometry);
}

void rbsor_pass_f64_geometry(const void *args, struct launch_geometry *geometry)
{
	chunk_of(args, true, geometry);
}
