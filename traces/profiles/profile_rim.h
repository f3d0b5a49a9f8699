/* SPDX-License-Identifier: MIT
 * Blocks at the rim of a grid of one or two dimensions may do other work than those within, so that
 * what blocks do on average is linear in the share of those at the rim. Where blocks are counted
 * along one dimension, whatever they cover, it is linear in the share of threads without a point.
 */
#ifndef WARPREEL_PROFILE_RIM_H
#define WARPREEL_PROFILE_RIM_H

#include "profile_derive.h"

/* Share of the launch's blocks that are at the rim of its grid, or less than nothing: points a
 * thread, where the grid has one dimension and both launches know theirs (points: the launch's; 0:
 * not known). In steps of 1/1024: profile_between asks no more of the launch's grid. */
double profile_rim_share(const struct kernel_profile *nearest, const struct launch_geometry *launch,
			 int64_t points);
/*
 * Derives the counts of a launch of `nearest`'s path, block and steps and of another grid: of two
 * profiles whose shares differ, in the weights by which these add up to the launch's. False: there
 * is no such other profile, or the launch lies too far from both; nothing is to be released then.
 */
bool profile_between(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, int64_t points,
		     struct profile_derived *derived);
/* The same for a grid of blocks at the rim alone, or of others alone. */
bool profile_of_kind(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, bool rim,
		     struct profile_derived *derived);

#endif
