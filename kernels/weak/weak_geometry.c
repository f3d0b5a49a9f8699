/* SPDX-License-Identifier: MIT
 * How the launches of the image solvers lie on a GPU.
 */
#include "kernels/weak/weak_launch.h"
#include "traces/schedule/schedule.h"

/* A data block a block, or as many as may be resident; two nodes a thread, and the threads that
 * only communicate. */
void weak_steps_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct weak_launch *l = (const struct weak_launch *)args;
	const uint32_t blocks = (uint32_t)weak_own_blocks(l), places = (uint32_t)l->resident;

	*geometry = (struct launch_geometry){
		.grid = { places && places < blocks ? places : blocks, 1, 1 },
		.block = { WEAK_COMPUTING + l->communicating, 1, 1 },
		.path = l->inner,
		.steps = l->steps,
	};
}

void weak_residual_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct weak_launch *l = (const struct weak_launch *)args;

	*geometry = (struct launch_geometry){
		.grid = { (uint32_t)weak_blocks(&l->grid), 1, 1 },
		.block = { WEAK_COMPUTING, 1, 1 },
	};
}

void weak_whole_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct weak_launch *l = (const struct weak_launch *)args;

	*geometry = (struct launch_geometry){
		.grid = { (uint32_t)weak_own_blocks(l), 1, 1 },
		.block = { WEAK_COMPUTING, 1, 1 },
		.path = l->inner,
		.steps = l->steps,
	};
}

void weak_apart_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct weak_launch *l = (const struct weak_launch *)args;

	weak_whole_geometry(args, geometry);
	geometry->block[0] = WEAK_SQUARES + l->communicating;
}
