/* SPDX-License-Identifier: MIT
 * Takes the tracer's cost out of a recorded schedule's host side: the time between calls shrinks by what the recorder spends outside
 * its own records, and by what telling it about launches, posts and awaits cost. (The calls themselves are priced from the
 * platform, and the device's pauses by kernel_model_gap.)
 */
#ifndef WARPREEL_UNTRACE_H
#define WARPREEL_UNTRACE_H

#include "../model/platform.h"
#include "../traces/schedule.h"

void schedule_untrace(struct schedule *schedule, const struct platform *platform);

#endif
