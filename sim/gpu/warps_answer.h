/* SPDX-License-Identifier: MIT
 * What the kernel model `warps` says of one launch.
 */
#ifndef WARPREEL_WARPS_ANSWER_H
#define WARPREEL_WARPS_ANSWER_H

#include <stdbool.h>

#include "traces/profiles/profile_derive.h"
#include "grid_time.h"
#include "residency.h"

/* A part of a launch in which L2 has an even share of what is asked. */
struct warps_phase {
	double share /* of the launch */, l2_miss_share, dram_write_share;
};

/* One launch, explained. */
struct warps_answer {
	struct grid_launch launch; /* miss shares of the whole launch */
	struct warps_phase phase[2];
	int phases; /* in order; 1 where L2 has the same share throughout */
	struct grid_answer
		grid; /* duration and cycles of the whole launch, all else of its longer phase */
	const struct kernel_profile
		*profile; /* of this launch, else of the nearest grid: hardware counters are its */
	const struct profile_derived
		*derived;  /* the counts, where they are not the profile's; NULL = they are */
	const char *doubt; /* of the derived counts; NULL = none */
	bool kinds;	   /* blocks at the rim and within do other work: */
	struct warp_program within, rim;
	struct warp_program program; /* with the launch's own block; steps are shared, not owned */
	struct residency_shape memory;
	bool classes; /* another device generation: by instruction classes, no control bits */
};

#endif
