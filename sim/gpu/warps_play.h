/* SPDX-License-Identifier: MIT
 * A prepared launch, played on a device in each state that memory is in.
 */
#ifndef WARPREEL_WARPS_PLAY_H
#define WARPREEL_WARPS_PLAY_H

#include "model/platform/platform.h"
#include "model/platform/sm_order.h"
#include "warps_answer.h"

/* Sets answer->grid, which the caller releases. -1 after a message. */
int warps_play(const struct sm_device *device, int sm_count, struct warps_answer *answer);
/* The same on the platform's own device, whatever was set in it; `before`, as it was before that,
 * or NULL, bounds the answer. */
int warps_play_own(const struct platform *platform, const struct platform *before,
		   struct warps_answer *answer);
/* No longer than on a slower device, no shorter than on a faster one: see warps.h. */
void warps_bound(const struct sm_device *device, enum sm_order order, double there_ns,
		 struct grid_answer *grid);

#endif
