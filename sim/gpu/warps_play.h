/* SPDX-License-Identifier: MIT
 * A prepared launch, played on a device in each state that memory is in.
 */
#ifndef WARPREEL_WARPS_PLAY_H
#define WARPREEL_WARPS_PLAY_H

#include "model/platform/platform.h"
#include "model/platform/sm_order.h"
#include "known_launches.h"
#include "warps_answer.h"

/* What a phase of the launch is known by on the on_device-th device of struct known_launch, which
 * is `platform`'s. */
struct known_launch warps_known(const struct platform *platform, const struct warps_answer *answer,
				int phase, int64_t on_device);
/* The same, as it is known by once it was played. */
struct known_launch warps_now_known(const struct known_launch *asked,
				    const struct grid_answer *played);
/* NULL = no play serves. */
const struct known_launch *warps_find_known(const struct known_launches *known, int sm_count,
					    const struct known_launch *asked);
/* A phase as if it were all of the launch; the caller releases *played. -1 after a message. */
int warps_play_phase(const struct sm_device *device, int sm_count, struct warps_answer *answer,
		     int phase, struct grid_answer *played);
/* Sets answer->grid, which the caller releases. -1 after a message. */
int warps_play(const struct sm_device *device, int sm_count, struct warps_answer *answer);
/* The same on the platform's own device, whatever was set in it; `before`, as it was before that,
 * or NULL, bounds the answer. */
int warps_play_own(const struct platform *platform, const struct platform *before,
		   struct warps_answer *answer);
/* Whether `before` does. */
bool warps_bounded(const struct platform *platform, const struct platform *before);
/* The duration that warps_play_own comes to, in ns. Only phases that are not known are played;
 * then they are. -1 after a message. */
int warps_known_duration(const struct platform *platform, const struct platform *before,
			 struct known_launches *known, struct warps_answer *answer,
			 double *duration_ns);
/* No longer than on a slower device, no shorter than on a faster one: see warps.h. */
void warps_bound(const struct sm_device *device, enum sm_order order, double there_ns,
		 struct grid_answer *grid);

#endif
