/* SPDX-License-Identifier: MIT
 * Loops too long to be played: a few rounds of them are, and time goes on linearly.
 */
#ifndef WARPREEL_GRID_LOOPS_H
#define WARPREEL_GRID_LOOPS_H

#include "grid_play.h"

/*
 * How long blocks take, by runs in which loops are cut to a few visits: first all of them, then all
 * but those of one depth, which have twice as many. What a run takes longer is what its
 * instructions more cost, at this depth and further in; so each depth has its own price, and its
 * instructions, as many as the profile counts, are paid by it. *played: cycles and block_cycles,
 * the caller sets the rest. run: the last of these runs, the caller's. -1 after a message.
 *
 * Wanted of a launch with another beside it: the two, not depths, tell what is issued, so all loops
 * are of one depth, and are cut to as many visits as give `issues_wanted`.
 */
int grid_loops(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	       int resident, int64_t blocks, double issues_wanted, struct sm_run *run,
	       struct grid_played *played);

#endif
