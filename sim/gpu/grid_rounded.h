/* SPDX-License-Identifier: MIT
 * Launches of almost as many blocks are one launch. What a play reads of the number of blocks is
 * how many of them a multiprocessor has, and how many multiprocessors share memory meanwhile: both
 * come in steps, and what a launch has more or less of it goes at the pace of the one that was
 * played.
 */
#ifndef WARPREEL_GRID_ROUNDED_H
#define WARPREEL_GRID_ROUNDED_H

#include "model/device/sm_device.h"
#include "grid_launch.h"

/*
 * The launch that is played for `launch`: sets blocks and sharers. From ROUNDS_EXACT rounds on
 * blocks a multiprocessor come in sixteen steps an octave, sharers are whole. A launch of
 * no more than one block a multiprocessor, or that has another beside it, stays as it is.
 */
struct grid_launch grid_rounded(const struct sm_device *device, int sm_count,
				const struct grid_launch *launch);
/* From what was played to a launch of `blocks`. Cycles; sm_count and device as in grid_time. */
double grid_played_cycles(const struct sm_device *device, int sm_count,
			  const struct grid_played *played, int64_t blocks);
/* As the tracer would report it. */
double grid_duration_ns(const struct sm_device *device, double cycles);

#endif
