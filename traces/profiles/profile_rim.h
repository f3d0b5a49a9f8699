/* SPDX-License-Identifier: MIT
 * Blocks at the rim of a grid of one or two dimensions may do other work than those within. So what
 * all blocks do together is linear in their number, in that of columns and in that of rows, and
 * what a block does on average in one over each. Three grids tell all parts apart; of two, columns
 * and rows are taken for alike, and it is linear in the share of blocks at the rim. Where blocks
 * are counted along one dimension, whatever they cover, it is linear in the share of threads
 * without a point.
 */
#ifndef WARPREEL_PROFILE_RIM_H
#define WARPREEL_PROFILE_RIM_H

#include "profile_derive.h"

/* All that profile_between asks of a launch's grid, in steps of 1/1024, so that launches that
 * hardly differ have the same. */
struct profile_rim {
	double points; /* a thread, below zero, where the grid has one dimension and both launches
			  know theirs; 0: it is the other two that count */
	double by_rows, by_columns; /* one over their number; by_rows 0 of a single row */
};
/* Of the launch. points: the launch's; 0: not known. */
struct profile_rim profile_rim_of(const struct kernel_profile *nearest,
				  const struct launch_geometry *launch, int64_t points);
/*
 * Derives the counts of a launch of `nearest`'s path, block and steps and of another grid: of
 * profiles whose rims differ, in the weights by which these add up to the launch's. False: there
 * are no such other profiles, or the launch lies too far from them; nothing is to be released then.
 */
bool profile_between(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, const struct profile_rim *rim,
		     struct profile_derived *derived);
/* The same for a grid of blocks at the rim alone, or of others alone, by two grids. */
bool profile_of_kind(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		     const struct launch_geometry *launch, bool at_rim,
		     struct profile_derived *derived);

#endif
