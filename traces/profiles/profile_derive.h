/* SPDX-License-Identifier: MIT
 * What a launch does that nobody counted, from profiles of other launches of the same code.
 *
 * Counts follow the law of profile_law.h, every instruction and counter by itself. Where that is
 * not so it is found out: by profiles that contradict it, and by code that only some warps would
 * run although each profiled warp did.
 */
#ifndef WARPREEL_PROFILE_DERIVE_H
#define WARPREEL_PROFILE_DERIVE_H

#include "kernel_profile.h"
#include "profile_law.h"

struct profile_derived {
	/* Counts and points of a grid of its own, many blocks of the launch's shape. Hardware
	 * counters are those of `memory`, for their ratios. */
	struct kernel_profile profile;
	const struct kernel_profile *memory; /* of the nearest grid: what caches hold depends on how
						much there is, and does not add up */
	const struct kernel_profile *base[LAW_TERMS]; /* nearest first */
	double weight[LAW_TERMS];		      /* of a block's counts */
	int base_count;
	char *doubt; /* why the counts may be wrong: a clause; owned. NULL = they follow from the
			profiles */
};

/*
 * The profile nearest to a launch: same kernel name, then same path, then same block and steps
 * (what is not known agrees with anything), then the nearest warps a block and steps, then the
 * nearest grid, all by ratio. Only profiles whose instructions were counted. NULL when the kernel
 * has none. *exact: path, block and steps agree, so that its counts are the launch's.
 */
const struct kernel_profile *kernel_profiles_find(const struct kernel_profiles *profiles,
						  const char *kernel,
						  const struct launch_geometry *geometry,
						  bool *exact);

/*
 * Derives the counts of a launch of `nearest`'s kernel whose counts it has not. Always gives some:
 * with a doubt, the best there are, down to those of `nearest` warp for warp. Borrows from
 * `profiles`.
 */
void profile_derive(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		    const struct launch_geometry *launch, struct profile_derived *derived);
void profile_derived_release(struct profile_derived *derived);

#endif
