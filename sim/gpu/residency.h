/* SPDX-License-Identifier: MIT
 * What a launch finds in L2: follows from which bytes earlier launches touched.
 *
 * Launches are walked in the order their threads issue them, GPU by GPU, each in slices: it goes
 * through all its ranges at once, forward or backward. The distinct bytes touched since the last
 * touch of a range are its reuse distance, and the device file says what share of bytes is still
 * there after that many. A launch that turns round finds first what the one before left last; so
 * misses are told by slice. Equal launches settle quickly, so a few of each shape are enough.
 */
#ifndef WARPREEL_RESIDENCY_H
#define WARPREEL_RESIDENCY_H

#include "model/device/sm_device.h"
#include "traces/schedule/schedule.h"

enum { RESIDENCY_SLICES = 32 };

struct residency_shape {
	double read_miss[RESIDENCY_SLICES],
		write_miss[RESIDENCY_SLICES]; /* shares of what each slice asks for, in the order of
						 time */
	double read_bytes, write_bytes; /* asked of memory if nothing is cached; 0 = the launch
					   carries no footprint */
	double read_miss_bytes, write_miss_bytes; /* that L2 does not have, or does not keep */
	double reversed; /* share of what it read that was touched last by a launch going the other
		    way */
	double written;	 /* share of what it found in L2 that had been written there */
	double wide;	 /* the part of that which goes round beyond the device's l2_near_bytes */
	double dirty; /* share of what it found in L2 that the launch wrote that touched it last */
	double updated;	       /* share of what it writes that it reads too */
	double distance_bytes; /* mean reuse distance of what it read; -1 never touched before */
};

struct residency {
	struct residency_shape *shape;
	uint32_t count;
}; /* owned */

void residency_build(struct residency *residency, const struct schedule *schedule,
		     const struct sm_device *device);
void residency_release(struct residency *residency);
/* Share of bytes still in L2 when `bytes` others were touched since. */
double residency_hits(const struct sm_device *device, double bytes);

#endif
