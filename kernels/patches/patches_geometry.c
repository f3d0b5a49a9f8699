/* SPDX-License-Identifier: MIT */
#include "patches_geometry.h"

static int32_t cells_of(const struct patches_step *step)
{
	return step->block[0] * step->block[1] * step->block[2];
}

/* A thread a cell, a group of spatial blocks a thread block. */
static void cells_geometry(const struct patches_step *step, uint32_t groups,
			   struct launch_geometry *geometry)
{
	const int32_t cells = cells_of(step);
	const struct launch_geometry g = { { groups, 1, 1 },
					   { (uint32_t)step->block[0], (uint32_t)step->block[1],
					     (uint32_t)step->block[2] },
					   (uint32_t)cells * 8,
					   0,
					   cells };

	*geometry = g;
}

void patches_gemv_c_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;

	cells_geometry(step, (uint32_t)step->blocks, geometry);
}

void patches_gemv_sweep_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;

	cells_geometry(step, (uint32_t)step->count, geometry);
}

void patches_gemv_a_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const int32_t cells = cells_of(step), group = PATCHES_GROUP_THREADS / cells,
		      many = group < 1 ? 1 : group;
	const struct launch_geometry g = { { (uint32_t)patches_ceil(step->blocks, many), 1, 1 },
					   { (uint32_t)cells, (uint32_t)many, 1 },
					   (uint32_t)(cells * many) * 8,
					   0,
					   cells };

	*geometry = g;
}

void patches_gemv_b_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const int32_t cells = cells_of(step);
	const struct launch_geometry g = { { (uint32_t)step->blocks, 1, 1 },
					   { (uint32_t)step->block[0], (uint32_t)step->block[1],
					     1 },
					   (uint32_t)cells * 8,
					   0,
					   cells };

	*geometry = g;
}

void patches_sine_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const struct launch_geometry g = { { (uint32_t)step->tiles, 1, 1 },
					   { PATCHES_SINE_THREADS, 1, 1 },
					   0,
					   step->block[2],
					   0 };

	*geometry = g;
}

void patches_steps_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const struct launch_geometry g = { { (uint32_t)step->count, 1, 1 },
					   { (uint32_t)step->threads, 1, 1 },
					   16 * (uint32_t)step->tiles,
					   step->block[2],
					   step->wave };

	*geometry = g;
}

void patches_advance_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const struct launch_geometry g = {
		{ (uint32_t)step->tiles, 1, 1 }, { PATCHES_TILE_THREADS, 1, 1 }, 0, step->side, 0
	};

	*geometry = g;
}

/* A thread a column of a block, along z, and its mirror along y; two beside each other where blocks
 * are even along x. */
void patches_packed_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_step *step = (const struct patches_step *)args;
	const int64_t columns = (int64_t)step->blocks * patches_part(step->block[1], 0) *
				(step->block[0] % 2 ? step->block[0] : step->block[0] / 2);
	const struct launch_geometry g = {
		{ (uint32_t)((columns + PATCHES_TILE_THREADS - 1) / PATCHES_TILE_THREADS), 1, 1 },
		{ PATCHES_TILE_THREADS, 1, 1 },
		0,
		0,
		step->block[2]
	};

	*geometry = g;
}

void patches_ghosts_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct patches_ghost_list *ghosts = (const struct patches_ghost_list *)args;
	const struct launch_geometry g = {
		{ (uint32_t)ghosts->count,
		  (uint32_t)patches_ceil(ghosts->cells_most, PATCHES_GHOST_THREADS), 1 },
		{ PATCHES_GHOST_THREADS, 1, 1 },
		0,
		0,
		0
	};

	*geometry = g;
}
