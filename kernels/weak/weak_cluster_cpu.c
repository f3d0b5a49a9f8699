/* SPDX-License-Identifier: MIT
 * The launches of schemes cluster and free on the CPU: a schedule that may happen, and is always
 * the same. All blocks step at once; inside a cluster borders are those of the step, else those of
 * the step before.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "weak_problem.h"
#include "weak_tile.h"

/* Whether the block there steps together with this one. */
typedef bool together(const struct weak_grid *grid, int block, int side);

static bool in_cluster(const struct weak_grid *grid, int block, int side)
{
	return weak_cluster_rank(grid, block, side) >= 0;
}

static bool never(const struct weak_grid *grid, int block, int side)
{
	(void)grid, (void)block, (void)side;
	return false;
}

static void receive(struct weak_tile *tile, const struct weak_launch *l, together *is_inside,
		    bool inside)
{
	for (int side = 0; side < 4; side++)
		if (inside == is_inside(&l->grid, tile->block, side))
			weak_tile_receive_side(tile, l, side);
}

static void step(struct weak_tile *tile, const struct weak_launch *l, int blocks, bool exchanges,
		 together *is_inside)
{
	for (int k = 0; k < blocks; k++) {
		weak_tile_step(&tile[k], l, false);
		if (exchanges)
			receive(&tile[k], l, is_inside, false);
	}
	/* Nobody but this cluster reads them before the next exchange. */
	for (int k = 0; k < blocks; k++)
		weak_tile_send(&tile[k], l);
	for (int k = 0; k < blocks; k++)
		receive(&tile[k], l, is_inside, true);
}

static void run(const struct weak_launch *l, together *is_inside)
{
	const int blocks = weak_blocks(&l->grid);
	struct weak_launch check = *l;
	struct weak_tile *tile = xcalloc((size_t)blocks, sizeof(*tile));
	float change = INFINITY;
	int done = 0;
	for (int k = 0; k < blocks; k++)
		weak_tile_load(&tile[k], l, k);
	while (done < l->steps && change > l->tolerance) {
		done++;
		step(tile, l, blocks, done % l->exchange == 0, is_inside);
		if (done % l->every != 0 && done != l->steps)
			continue;
		for (int k = 0; k < blocks; k++)
			weak_tile_store(&tile[k], l);
		check.number = 0;
		check.status[WEAK_STATUS_CHANGE] = 0;
		weak_residual_cpu(&check);
		memcpy(&change, check.status + WEAK_STATUS_CHANGE, sizeof(change));
		for (int k = 0; k < blocks; k++)
			weak_tile_load(&tile[k], l, k);
	}
	l->status[WEAK_STATUS_STEPS] = (uint32_t)done;
	free(tile);
}

void weak_cluster_cpu(const void *args)
{
	run(args, in_cluster);
}

void weak_free_cpu(const void *args)
{
	run(args, never);
}
