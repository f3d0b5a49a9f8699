/* SPDX-License-Identifier: MIT
 * The launch of scheme cluster on the CPU: a schedule that may happen, and is always the same. All
 * blocks step at once; inside a cluster borders are those of the step, between clusters those of
 * the step before.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "weak_problem.h"
#include "weak_tile.h"

static void receive(struct weak_tile *tile, const struct weak_launch *l, bool inside)
{
	for (int side = 0; side < 4; side++)
		if (inside == (weak_cluster_rank(&l->grid, tile->block, side) >= 0))
			weak_tile_receive_side(tile, l, side);
}

static void step(struct weak_tile *tile, const struct weak_launch *l, int blocks, bool exchanges)
{
	for (int k = 0; k < blocks; k++) {
		weak_tile_step(&tile[k], l, false);
		if (exchanges)
			receive(&tile[k], l, false);
	}
	/* Nobody but this cluster reads them before the next exchange. */
	for (int k = 0; k < blocks; k++)
		weak_tile_send(&tile[k], l);
	for (int k = 0; k < blocks; k++)
		receive(&tile[k], l, true);
}

void weak_cluster_cpu(const void *args)
{
	const struct weak_launch *l = args;
	const int blocks = weak_blocks(&l->grid);
	struct weak_launch check = *l;
	struct weak_tile *tile = xcalloc((size_t)blocks, sizeof(*tile));
	float change = INFINITY;
	int done = 0;
	for (int k = 0; k < blocks; k++)
		weak_tile_load(&tile[k], l, k);
	while (done < l->steps && change > l->tolerance) {
		done++;
		step(tile, l, blocks, done % l->exchange == 0);
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
