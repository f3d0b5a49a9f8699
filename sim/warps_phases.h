/* SPDX-License-Identifier: MIT
 * The two phases of a launch that turns where the one before ended.
 */
#ifndef WARPREEL_WARPS_PHASES_H
#define WARPREEL_WARPS_PHASES_H

#include "warps.h"

/* part / whole, from 0 to 1; 0 of nothing. */
double warps_share(double part, double whole);

/*
 * A launch that turns where the one before ended finds its first part in L2 and the rest not: two phases, one after the other, of which one
 * is held up by L2 and the other by DRAM. Cut where the two means say most about the slices (least squares).
 */
void warps_split(struct warps_answer *answer);

#endif
