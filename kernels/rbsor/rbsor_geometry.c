/* SPDX-License-Identifier: MIT */
#include "rbsor_geometry.h"

#include <string.h>

#include "kernels/kit/launch_shape.h"

/*
 * Few vectors: one row a thread, so that all SMs have work. Many: several rows a
 * thread, so that the rows of the other colour are not fetched three times. The limits are vectors
 * x rows of the sweep, in multiples of what a GPU of 132 SMs holds at once.
 */
static const struct shape {
	int64_t vectors_from;
	int32_t rows_a_thread;
} shapes[] = { { 800000, 4 }, { 270000, 2 }, { 0, 1 } };

/* The widest row of a block, from `width` down, that leaves at most an eighth of the lanes idle. */
static uint32_t block_width(uint32_t vectors, uint32_t width)
{
	while (width > 32 && launch_divide_up(vectors, width) * width - vectors > vectors / 8)
		width /= 2;
	return width;
}

static void tuned(const struct rbsor_sweep *sweep, int lanes, struct launch_geometry *geometry)
{
	const int32_t rows = sweep->row_end - sweep->row_begin;
	const struct shape *shape = shapes;

	memset(geometry, 0, sizeof(*geometry));
	if (rows <= 0 || sweep->columns < 3)
		return;
	const uint32_t vectors = (uint32_t)(((sweep->columns - 1) >> 1) / lanes + 1);
	while ((int64_t)vectors * rows < shape->vectors_from)
		shape++;
	const uint32_t width = block_width(vectors, TUNED_BLOCK_THREADS),
		       height = TUNED_BLOCK_THREADS / width;

	launch_shape(geometry, launch_divide_up(vectors, width),
		     launch_divide_up((uint32_t)rows, height * (uint32_t)shape->rows_a_thread),
		     width, height, shape->rows_a_thread);
}

void rbsor_tuned_f32_geometry(const void *args, struct launch_geometry *geometry)
{
	tuned(args, 4, geometry);
}

void rbsor_tuned_f64_geometry(const void *args, struct launch_geometry *geometry)
{
	tuned(args, 2, geometry);
}

void rbsor_paper_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct rbsor_sweep *sweep = args;
	const int32_t rows = sweep->row_end - sweep->row_begin, columns = sweep->columns - 2;

	memset(geometry, 0, sizeof(*geometry));
	if (rows > 0 && columns > 0)
		launch_shape(geometry, launch_divide_up((uint32_t)columns, PAPER_STEP_COLUMNS),
			     launch_divide_up((uint32_t)rows, PAPER_STEP_ROWS), PAPER_TILE_COLUMNS,
			     1, 0);
}

void rbsor_rim_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct rbsor_rim *edges = args;
	const struct rbsor_sweep *sweep = &edges->sweep;
	const uint32_t points = (uint32_t)(sweep->columns >> 1);

	memset(geometry, 0, sizeof(*geometry));
	if (sweep->row_end > sweep->row_begin && sweep->columns >= 3)
		launch_shape(geometry, launch_divide_up(points, RIM_BLOCK_THREADS), 2,
			     RIM_BLOCK_THREADS, 1, 0);
}
