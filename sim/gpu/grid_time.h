/* SPDX-License-Identifier: MIT
 * From one multiprocessor to a whole launch: waves, tails, and what is too long to be played is
 * extrapolated.
 *
 * The representative SM is the one with most blocks. While it runs, the others ask for as much of
 * L2 and DRAM, in proportion to the blocks they have. Of a long launch the first rounds of blocks
 * are played, more of them where rounds are unequal; the blocks between the first round and the
 * last go on at their mean pace. A launch that is played whole and issues little is played on
 * several multiprocessors, whose blocks have other luck, and takes their mean. Where all blocks are
 * there at once, which of them are at the rim of the grid counts (grid_kinds.h). Of long loops a
 * few rounds are played with two limits, and time goes on linearly.
 */
#ifndef WARPREEL_GRID_TIME_H
#define WARPREEL_GRID_TIME_H

#include "model/device/sm_device.h"
#include "grid_launch.h"
#include "sm_engine.h"

struct grid_answer {
	double duration_ns; /* as the tracer would report it */
	double cycles;	    /* of the representative SM */
	int resident;	    /* blocks an SM holds; 0 = none fits */
	const char *limit;  /* what keeps one more out */
	double blocks_a_sm, waves;
	struct grid_played played;
	int64_t instructions; /* played */
	bool extrapolated_blocks, extrapolated_loops;
	double stalled[STALL_REASON_COUNT]; /* share of the played warps' time; 0 if duration_only
					     */
	int64_t barriers_forced;
	struct sm_run run; /* block begins and ends as far as played; grid_answer_release */
};

/* -1 after a message: the block does not fit the device. */
int grid_time(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	      struct grid_answer *answer);
/* grid_kinds_bits of a launch that is played by what blocks at the rim do and what those within do,
 * as where all are there at once; of any other 0. */
void grid_time_kinds(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
		     uint64_t at_rim[2]);
void grid_answer_release(struct grid_answer *answer);

#endif
