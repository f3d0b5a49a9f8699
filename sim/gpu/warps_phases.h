/* SPDX-License-Identifier: MIT
 * The two phases of a launch of whose bytes L2 has a part.
 */
#ifndef WARPREEL_WARPS_PHASES_H
#define WARPREEL_WARPS_PHASES_H

#include "warps_answer.h"

/*
 * A launch that turns where the one before ended finds its first part in L2 and the rest not: two
 * phases, one after the other, of which one is held up by L2 and the other by DRAM. Cut where the
 * two means say most about the slices (least squares). Where the slices are alike but L2 has only a
 * part of each, the phases are what it lacks and what it has: measured (kernels_edge.list), such
 * launches take about as long as that, and not the longer of what L2 and DRAM would take side by
 * side.
 */
void warps_split(struct warps_answer *answer, const struct mechanism_set *on);

#endif
