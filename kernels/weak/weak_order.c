/* SPDX-License-Identifier: MIT */
#include "weak_launch.h"

enum { TILE_DOWN = 6, TILE_ACROSS = 5 };

void weak_order(const struct weak_grid *g, int order, int32_t *ids)
{
	const int down = order == WEAK_STRIPE ? 1 : TILE_DOWN,
		  across = order == WEAK_STRIPE ? g->across : TILE_ACROSS;
	int32_t id = 0;
	for (int plane = 0; plane < g->planes; plane++)
		for (int d = 0; d < g->down; d += down)
			for (int a = 0; a < g->across; a += across)
				for (int y = d; y < d + down && y < g->down; y++)
					for (int x = a; x < a + across && x < g->across; x++)
						ids[id++] = (plane * g->down + y) * g->across + x;
}
