/* SPDX-License-Identifier: MIT
 * Grid and block of the CUDA kernels from their arguments: the launchers call these, and plans do,
 * so that both agree.
 */
#ifndef WARPREEL_LMSOR_GEOMETRY_H
#define WARPREEL_LMSOR_GEOMETRY_H

#include "kernels/machine/machine.h"
#include "lmsor.h"

enum { LMSOR_PAPER_X = 64, LMSOR_PAPER_Y = 4, LMSOR_TUNED_THREADS = 128, LMSOR_TERMS_X = 128 };

LMSOR_CONSTANT uint32_t lmsor_ceil(uint32_t value, uint32_t by)
{
	return (value + by - 1) / by;
}

/* #1, #2, #3: a point a thread. */
static inline void lmsor_paper_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct lmsor_sweep *sweep = (const struct lmsor_sweep *)args;
	const struct launch_geometry g = {
		{ lmsor_ceil((uint32_t)(sweep->columns - 2) / 2 + 1, LMSOR_PAPER_X),
		  lmsor_ceil((uint32_t)(sweep->row_end - sweep->row_begin), LMSOR_PAPER_Y), 1 },
		{ LMSOR_PAPER_X, LMSOR_PAPER_Y, 1 },
		0,
		0,
		0,
	};

	*geometry = g;
}

/* Vectors of two points that hold at least one column of the grid, in either half-row. */
LMSOR_CONSTANT int32_t lmsor_vectors(int32_t columns)
{
	return ((columns - 1) >> 1) / 2 + 1;
}

/*
 * Few vectors: one row a thread, so that all SMs have work. Many: several, so that rows of the
 * other colour are fetched once and what depends on the column alone is computed once. Five stored
 * arrays have enough loads in flight with two rows.
 */
static inline void lmsor_tuned_shape(const struct lmsor_sweep *sweep, int32_t most,
				     struct launch_geometry *geometry)
{
	const int32_t rows = sweep->row_end - sweep->row_begin,
		      vectors = lmsor_vectors(sweep->columns);
	const int64_t work = (int64_t)rows * vectors;
	const int32_t wanted = work >= 800000	? 4
			       : work >= 270000 ? 2
						: 1,
		      rows_a_thread = wanted < most ? wanted : most;
	uint32_t width = LMSOR_TUNED_THREADS;

	/* The widest row of a block that leaves at most an eighth of the lanes idle. */
	while (width > 32 && lmsor_ceil((uint32_t)vectors, width) * width - (uint32_t)vectors >
				     (uint32_t)vectors / 8)
		width /= 2;
	const uint32_t height = LMSOR_TUNED_THREADS / width;
	const struct launch_geometry g = {
		{ lmsor_ceil((uint32_t)vectors, width),
		  lmsor_ceil((uint32_t)rows, height * (uint32_t)rows_a_thread), 1 },
		{ width, height, 1 },
		0,
		rows_a_thread,
		0,
	};

	*geometry = g;
}

static inline void lmsor_tuned_geometry(const void *args, struct launch_geometry *geometry)
{
	lmsor_tuned_shape((const struct lmsor_sweep *)args, 4, geometry);
}

static inline void lmsor_tuned1_geometry(const void *args, struct launch_geometry *geometry)
{
	lmsor_tuned_shape((const struct lmsor_sweep *)args, 2, geometry);
}

/* As few bands as there may be when all that have the most rows have as many. */
LMSOR_CONSTANT int32_t lmsor_bands(int32_t rows)
{
	return (int32_t)lmsor_ceil((uint32_t)rows, lmsor_ceil((uint32_t)rows, LMSOR_BANDS));
}

/* lmsor_persistent: a band a block, an index of both half-rows a thread, whose values of LMSOR_LAG
 * checks are in shared memory; the path is the rows of the widest band, a step an iteration (at
 * most: a check may end them). */
static inline void lmsor_persistent_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct lmsor_loop *loop = (const struct lmsor_loop *)args;
	const uint32_t threads = lmsor_ceil((uint32_t)(loop->columns + 1) / 2, 32) * 32;
	const uint32_t rows =
		lmsor_ceil((uint32_t)(loop->row_end - loop->row_begin), (uint32_t)loop->bands);
	const struct launch_geometry g = {
		{ (uint32_t)loop->bands, 1, 1 },
		{ threads, 1, 1 },
		LMSOR_LAG * 2 * rows * threads * 8,
		(int32_t)rows,
		loop->iterations,
	};

	*geometry = g;
}

/* lmsor_terms: an index of both half-rows a thread. */
static inline void lmsor_terms_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct lmsor_setup *setup = (const struct lmsor_setup *)args;
	const struct launch_geometry g = {
		{ lmsor_ceil((uint32_t)setup->pitch / 2, LMSOR_TERMS_X),
		  (uint32_t)setup->strip_rows, 1 },
		{ LMSOR_TERMS_X, 1, 1 },
		0,
		0,
		0,
	};

	*geometry = g;
}

#endif
