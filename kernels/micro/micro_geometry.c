/* SPDX-License-Identifier: MIT
 * How microkernels are laid over the GPU. `work` is the steps of a kernel that loops so often, and
 * else the path of a kernel that has such a thing.
 */
#include "micro.h"

uint32_t micro_divide_up(int64_t value, int64_t by)
{
	return (uint32_t)((value + by - 1) / by);
}

void micro_items_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	*geometry =
		(struct launch_geometry){ .grid = { micro_divide_up(args->n, args->block), 1, 1 },
					  .block = { (uint32_t)args->block, 1, 1 },
					  .path = args->work };
}

void micro_loop_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	micro_items_geometry(given, geometry);
	geometry->path = 0;
	geometry->steps = args->work;
}

void micro_tile_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;
	const uint32_t tiles = micro_divide_up(args->n, MICRO_TILE);
	const int32_t height = args->block / MICRO_TILE;

	*geometry = (struct launch_geometry){ .grid = { tiles, tiles, 1 },
					      .block = { MICRO_TILE, (uint32_t)height, 1 },
					      .path = args->work,
					      .steps = MICRO_TILE / height };
}

void micro_rows_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;
	const int32_t height = args->block / MICRO_TILE;

	*geometry = (struct launch_geometry){ .grid = { micro_divide_up(args->n, MICRO_TILE),
							micro_divide_up(args->n, height), 1 },
					      .block = { MICRO_TILE, (uint32_t)height, 1 },
					      .path = args->work };
}

void micro_reduce_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;
	int32_t halvings = 0;

	while (args->block >> halvings > 1)
		halvings++;
	*geometry = (struct launch_geometry){
		.grid = { micro_divide_up(args->n, (int64_t)args->block * MICRO_REDUCE_ITEMS), 1,
			  1 },
		.block = { (uint32_t)args->block, 1, 1 },
		.path = args->work,
		.steps = halvings
	};
}

void micro_fill_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_fill_args *args = given;

	*geometry = (struct launch_geometry){ .grid = { micro_divide_up(args->count, 256), 1, 1 },
					      .block = { 256, 1, 1 },
					      .path = args->kind };
}
