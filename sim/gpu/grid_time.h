/* SPDX-License-Identifier: MIT
 * From one multiprocessor to a whole launch: waves, tails, and what is too long to be played is
 * extrapolated.
 *
 * The representative SM is the one with most blocks. While it runs, the others ask for as much of
 * L2 and DRAM, in proportion to the blocks they have. Of a long launch the first rounds of blocks
 * are played, more of them where rounds are unequal; the blocks between the first round and the
 * last go on at their mean pace. A launch that is played whole and issues little is played on
 * several multiprocessors, whose blocks have other luck, and takes their mean. Of long loops a few
 * rounds are played with two limits, and time goes on linearly.
 */
#ifndef WARPREEL_GRID_TIME_H
#define WARPREEL_GRID_TIME_H

#include "model/device/sm_device.h"
#include "sm_engine.h"
#include "traffic.h"
#include "warp_program.h"

struct grid_launch {
	double code_bytes; /* of all kernels launched by turns; 0: of this one */
	const struct warp_program *program;
	int64_t blocks;
	double sharers; /* multiprocessors that share memory, on average; 0 = as its blocks say */
	struct traffic traffic;
	double background_dram_bytes_per_s;
	bool duration_only; /* nobody asks what warps waited for */
	int resident_most;  /* blocks an SM is to hold at most; 0 = as many as fit */
	/* Another launch on the same multiprocessors, for as long as this one runs (contention.h);
	 * NULL = none. Its own `beside` is not looked at. */
	const struct grid_launch *beside;
	int beside_resident; /* blocks of it on an SM */
	bool beside_first;   /* it was there first */
};

/* Of the representative SM. */
struct grid_played {
	int64_t blocks;	     /* played, or all that were wanted */
	double cycles;	     /* of these */
	double block_cycles; /* of each more */
};

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
void grid_answer_release(struct grid_answer *answer);

#endif
