/* SPDX-License-Identifier: MIT
 * Simulated time: integer picoseconds, so that the same run gives the same bytes everywhere.
 */
#ifndef WARPREEL_SIM_TIME_H
#define WARPREEL_SIM_TIME_H

#include <stdint.h>

typedef int64_t sim_time; /* picoseconds */
#define SIM_NEVER INT64_MAX
/* What comes later, a week on, is pushed as this, and ends the run (stream.c): so far, sums of a
 * few times and of a prediction's replicas hold. */
#define SIM_LAST (INT64_MAX / 16)

/* Longer than anything real, and no number (the cost of what a platform lacks), is 1000 s: sums
 * stay far from overflow. */
#define SIM_COST_MOST 1000000000000000 /* ps */
static inline sim_time ps_of_ns(double ns)
{
	const double most_ns = SIM_COST_MOST / 1000;
	if (!(ns < most_ns))
		return SIM_COST_MOST;
	if (ns < -most_ns)
		return -SIM_COST_MOST;
	return (sim_time)(ns * 1000.0 + (ns < 0 ? -0.5 : 0.5));
}

#endif
