/* SPDX-License-Identifier: MIT
 * The blocks of a launch that one multiprocessor has, played; and how fast they follow each other.
 */
#ifndef WARPREEL_GRID_PLAY_H
#define WARPREEL_GRID_PLAY_H

#include "model/device/sm_device.h"
#include "grid_launch.h"
#include "sm_engine.h"

/* Which multiprocessor is played. All zero: one for all, of blocks that are alike. */
struct grid_place {
	int64_t sm;
	const bool *at_rim;	   /* of its blocks; NULL: they are taken for alike */
	float turn;		   /* struct sm_setup, turn_first */
	const double *visits_most; /* WARP_DEPTHS of them, struct sm_setup; NULL: loops are whole */
};

/* -1 after a message. *snapshot, where it is wanted: sm_engine_begin. */
int grid_play(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	      int resident, int64_t blocks, const struct grid_place *place, struct sm_run *run,
	      struct sm_snapshot **snapshot);
/* Cycles from block to block in a steady state, while the multiprocessor is full; of a run that has
 * none, of all. *error: by which share of itself that may be wrong by chance. */
double grid_pace(const struct sm_run *run, int resident, double *error);

#endif
