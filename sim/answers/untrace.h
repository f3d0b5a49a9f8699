/* SPDX-License-Identifier: MIT
 * Takes the tracer's cost out of a recorded schedule's host side. A run that names its
 * configuration is one of our solvers, which do nothing between their calls (planning one takes
 * 0.04 us an operation, and the loops that the calls' costs were measured in have as much): all
 * that lies there is the recorder's, and none of it stays, as in a plan, but for what a library
 * does that they call (untrace_library.c). In any other program the time between calls shrinks by
 * what the recorder spends outside its own records, by what telling it about launches, posts and
 * awaits cost, and by what watching its query calls cost (trace_api.queries): ten for each launch
 * in PyTorch, a few times their own length each. (The calls themselves are priced from the
 * platform, and the device's pauses by kernel_model_gap.)
 */
#ifndef WARPREEL_UNTRACE_H
#define WARPREEL_UNTRACE_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

void schedule_untrace(struct schedule *schedule, const struct platform *platform);
/* The kernels' part, which schedule_untrace calls: what the recorder adds to their durations
 * (untrace_blocks.c). */
void schedule_untrace_blocks(struct schedule *schedule, const struct platform *platform);

/* The times between a solver's calls (untrace_library.c). */
void schedule_untrace_solver(struct schedule *schedule, const struct platform *platform);

/* And on virtual GPUs (untrace_virtual.c). */
void schedule_untrace_virtual(struct schedule *schedule, const struct platform *platform);

#endif
