/* SPDX-License-Identifier: MIT
 * What a block does, in C: the CPU's launches and the co-simulation are made of these, and a block
 * on a GPU does the same with the same rounding.
 */
#ifndef WARPREEL_WEAK_TILE_H
#define WARPREEL_WEAK_TILE_H

#include "kernels/weak/weak_launch.h"

enum { WEAK_TILE_PITCH = WEAK_COLUMNS + 2 };

/* A block's nodes with one row and column of its neighbours around. */
struct weak_tile {
	float u[WEAK_FIELDS][WEAK_ROWS + 2][WEAK_TILE_PITCH];
	int block;
	int done;  /* steps of this launch */
	bool idle; /* no node is free: steps change nothing */
};

/* Own nodes and those around from launch->values. */
void weak_tile_load(struct weak_tile *tile, const struct weak_launch *launch, int block);
/* One step. Returns the greatest change where `check`, else 0. */
float weak_tile_step(struct weak_tile *tile, const struct weak_launch *launch, bool check);
/* One exchange: own borders out, those of neighbours in. */
void weak_tile_send(const struct weak_tile *tile, const struct weak_launch *launch);
void weak_tile_receive(struct weak_tile *tile, const struct weak_launch *launch);
/* Of its nodes those from `from` to below `to`: 32 above, 32 below, 20 left, 20 right. */
void weak_tile_send_nodes(const struct weak_tile *tile, const struct weak_launch *launch, int from,
			  int to);
void weak_tile_receive_nodes(struct weak_tile *tile, const struct weak_launch *launch, int from,
			     int to);
/* Those that another tile of the same block has received. */
void weak_tile_take_nodes(struct weak_tile *tile, const struct weak_tile *received,
			  const struct weak_launch *launch, int from, int to);
/* Of one side (up, down, left, right) alone. */
void weak_tile_receive_side(struct weak_tile *tile, const struct weak_launch *launch, int side);
bool weak_talks(const struct weak_launch *launch, int side);
/* All own nodes to launch->next. */
void weak_tile_store(const struct weak_tile *tile, const struct weak_launch *launch);
void weak_tile_store_row(const struct weak_tile *tile, const struct weak_launch *launch, int row);

#endif
