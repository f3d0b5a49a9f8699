/* SPDX-License-Identifier: MIT
 * When a program's own ranges (NVTX) begin and end in a simulated run: an observer, which may hand
 * on what it is told to another.
 */
#ifndef WARPREEL_RANGE_TIMES_H
#define WARPREEL_RANGE_TIMES_H

#include "sim/engine/simulation.h"

struct range_times {
	struct observer observer;	 /* pass &times.observer to simulation_run */
	const struct observer *other;	 /* borrowed; NULL = none */
	const struct schedule *schedule; /* borrowed */
	int64_t *instant;		 /* those that ranges lie between, ascending; owned */
	sim_time *at_ps;		 /* when each was; owned */
	size_t count;
	struct range_thread { /* the instants of a thread, and how far it is */
		size_t next, end;
		sim_time now_ps;
	} * thread; /* [thread_count]; owned */
};

void range_times_init(struct range_times *times, const struct schedule *schedule);
/* Before each run. */
void range_times_begin(struct range_times *times, const struct observer *other);
/* Behind it: begin and end of a range whose thread has operations. */
void range_times_of(struct range_times *times, const struct schedule_nvtx *range, sim_time *begin,
		    sim_time *end);
void range_times_release(struct range_times *times);

#endif
