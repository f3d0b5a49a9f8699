/* SPDX-License-Identifier: MIT
 * How counts of a block depend on its shape.
 *
 * They have three parts: what the block does once (the store of its sum, the rim above its tile),
 * what each of its w warps does, and what each warp does in each of its s steps: c0 + c1 w + c2 w
 * s. So the counts of a launch are the sum of other launches' in the weights by which their terms
 * (w, w s, 1) add up to its own. Exact for rows of a tile of fixed height, for a rim, for a tree in
 * which halves of the threads leave off (warps at work: w + 4, summed over the log2(32 w)
 * halvings), and for loops of any length; where a compiler unrolled a loop, for lengths that the
 * unrolling divides.
 */
#ifndef WARPREEL_PROFILE_LAW_H
#define WARPREEL_PROFILE_LAW_H

#include <stdbool.h>

#include "traces/schedule/schedule.h"

enum { LAW_WARP = 32, LAW_TERMS = 3 };
struct law_terms {
	double term[LAW_TERMS];
}; /* in the order in which they are kept when launches are too few */

double law_warps(const uint32_t block[3]);
/* Of a launch whose steps are known. */
struct law_terms law_terms_of(const struct launch_geometry *geometry);

/* Of LAW_TERMS bases: 0 where one is a sum of others, and the further from it the better they tell
 * terms apart. */
double law_determinant(const struct law_terms base[]);
/* Whether no base is a sum of others; at most LAW_TERMS can be. */
bool law_independent(const struct law_terms base[], int count);
/*
 * Weights by which independent bases add up to `wanted`. False: they do not, and the weights are
 * those for which as many terms do as there are bases.
 */
bool law_weigh(const struct law_terms base[], int count, const struct law_terms *wanted,
	       double weight[]);

#endif
