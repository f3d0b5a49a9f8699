/* SPDX-License-Identifier: MIT
 * A launch, as the time of its grid is asked for, and what of it was played.
 */
#ifndef WARPREEL_GRID_LAUNCH_H
#define WARPREEL_GRID_LAUNCH_H

#include "grid_kinds.h"
#include "traffic.h"
#include "warp_program.h"

struct grid_launch {
	double code_bytes;		    /* of all kernels launched by turns; 0: of this one */
	const struct warp_program *program; /* of its blocks on average */
	struct grid_kinds kinds;	    /* of each, where they are told apart */
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
	/* SM_SKEW: how much later the last multiprocessor ends, of each block, and at most */
	double behind_cycles, behind_most;
};

#endif
