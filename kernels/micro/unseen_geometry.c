/* SPDX-License-Identifier: MIT */
#include "unseen.h"

static void linear(const struct micro_args *args, int64_t items_a_block,
		   struct launch_geometry *geometry)
{
	*geometry =
		(struct launch_geometry){ .grid = { micro_divide_up(args->n, items_a_block), 1, 1 },
					  .block = { (uint32_t)args->block, 1, 1 },
					  .path = args->work };
}

void unseen_a_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	micro_rows_geometry(given, geometry);
	geometry->grid[2] = micro_divide_up(args->n, UNSEEN_A_PLANES);
}

void unseen_b_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	linear(args, args->block / 32, geometry);
}

void unseen_c_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	linear(args, 2 * (int64_t)args->block, geometry);
}

void unseen_d_geometry(const void *given, struct launch_geometry *geometry)
{
	const struct micro_args *args = given;

	linear(args, args->block / UNSEEN_D_SIDE, geometry);
}
