/* SPDX-License-Identifier: MIT
 * Two kernels, or a kernel and a copy, on one GPU at once.
 *
 * Blocks of the kernel launched first are handed out first, as many as fit a multiprocessor. While
 * it has more to hand out, the other waits; from then on what it leaves (warps, registers, shared
 * memory, slots) belongs to the other. The mix: the representative multiprocessor holds the blocks
 * of both, and all others do as it does; the first one's warps are the older. So a large grid runs
 * beside a small one that came before it, a small one behind a large one waits for the large one's
 * last blocks, and large grids take turns. A copy takes bytes of DRAM from a kernel, and a kernel
 * from a copy.
 *
 * While both run, each goes at the pace it has in the mix; when one is done, the other goes on
 * alone. What a launch costs besides its blocks (being launched, the pause behind it) disturbs
 * nobody. L2 is not divided: each finds in it what it would find alone.
 */
#ifndef WARPREEL_CONTENTION_H
#define WARPREEL_CONTENTION_H

#include "grid_time.h"

/* One of two, called so many times one after the other. */
struct contender {
	const struct grid_launch *launch; /* NULL: a copy */
	double call_ns;			  /* alone, from call to call */
	double busy_ns;			  /* of these its blocks run; a copy: all */
	double dram_bytes;		  /* a call moves from and to DRAM */
	double calls;
};

/* What two do to each other. */
struct contention {
	struct contention_mix {
		int resident[2]; /* blocks of each on a multiprocessor */
		bool room;	 /* there is some for the second */
		double pace[2];	 /* of each while both run, 1 as alone */
	} mix[2];		 /* the first is there first, or the second */
	double handing[2]; /* share of a launch's time in which it has more blocks to hand out */
};

/* Fills mix->resident and room for mix[first]. */
void contention_fit(const struct sm_device *device, int sm_count,
		    const struct contender contender[2], int first, struct contention_mix *mix);
/* Bytes per second that an asker gets from memory with `rate`, beside another: in proportion, where
 * they ask for more than it has. */
double contention_share(double asked, double other_asked, double rate);
/* -1 after a message. */
int contention_paces(const struct sm_device *device, int sm_count,
		     const struct contender contender[2], struct contention *contention);
/* Both begin at once, the first a moment earlier: to the end of the later. */
double contention_both_ns(const struct contender contender[2], const struct contention *contention);

#endif
