/* SPDX-License-Identifier: MIT
 * What loads find in L1 when fewer blocks are on a multiprocessor than when they were counted.
 */
#ifndef WARPREEL_L1_CROWD_H
#define WARPREEL_L1_CROWD_H

#include "traffic.h"

/*
 * L1_CROWD. What loads ask of L2 for each byte they asked when they were counted, at most 1. What
 * the blocks that are there at once touch is W; where that is more than L1, a byte that comes again
 * is still there with a chance of L1 / W, as in a cache that drops lines at random. The counters
 * tell how many come again, the footprint how many have to come once. 1 where either is unknown, or
 * where all fitted when it was counted.
 */
double l1_crowd_scale(const struct sm_device *device, const struct traffic_launch *launch);

#endif
