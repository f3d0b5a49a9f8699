/* SPDX-License-Identifier: MIT
 * Cores whose other hyper-thread works for somebody else: what a thread does on such a one takes
 * longer, untraced as recorded (docs/model-host.md, "One call").
 */
#ifndef WARPREEL_UNTRACE_CORES_H
#define WARPREEL_UNTRACE_CORES_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

/* Writes down how much was recorded on shared cores and is answered for such; neither where the
 * platform or the recording does not say. Call it when call_recorded_ns is known. */
void cores_tell(struct schedule *schedule, const struct platform *platform);
/* How many times as long as where it was recorded something takes; 1 where nothing is known. */
double cores_longer(const struct schedule *schedule, const struct platform *platform,
		    enum shared_sort sort);
/* How many times as long as the platform says the recorder took around a call. */
double cores_recorder(const struct schedule *schedule, const struct platform *platform);
/* The same of what the threads do between their calls. */
void cores_pauses(struct schedule *schedule, const struct platform *platform);

#endif
