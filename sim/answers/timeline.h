/* SPDX-License-Identifier: MIT
 * A prediction is a trace: an observer that turns what the simulator plays into the rows a recorder
 * would have written.
 */
#ifndef WARPREEL_TIMELINE_H
#define WARPREEL_TIMELINE_H

#include "traces/format/trace.h"
#include "sim/engine/simulation.h"

struct timeline {
	struct trace *trace; /* borrowed, initialised by the caller */
	const struct schedule *schedule;
	const struct platform *platform; /* borrowed */ /* borrowed */
	struct observer observer; /* pass &timeline.observer to simulation_run */
	uint32_t api_name[OP_KIND_COUNT];
	uint32_t *kernel_name; /* [kernel_count]; owned */
	int64_t *latest; /* [event_count]: the event's latest record call, as its sync id; -1 none;
			    owned */
	int64_t *record_of; /* [op_count]: the record that a wait met; owned */
};

void timeline_init(struct timeline *timeline, struct trace *trace, const struct schedule *schedule,
		   const struct platform *platform);
/* Adds the run, GPUs and prediction rows once the simulation is done. */
void timeline_finish(struct timeline *timeline, const struct simulation_result *result);
/* One of the program's own ranges; what begins before the run begins with it. */
void timeline_add_range(struct timeline *timeline, const struct schedule_nvtx *range,
			sim_time begin, sim_time end);
void timeline_release(struct timeline *timeline);

#endif
