/* SPDX-License-Identifier: MIT
 * The times that D. Spampinato takes of a run ("Modeling Communication on Multi-GPU Systems", NTNU
 * 2009, section 6.2.1), of a simulated one: an observer adds them up.
 */
#ifndef WARPREEL_THESIS_TIMES_H
#define WARPREEL_THESIS_TIMES_H

#include "sim/engine/simulation.h"

/* Means over the core loop, the slowest GPU's of each: kernels over an iteration, the others over
 * an exchange of borders; and the whole run. */
struct thesis_times {
	double mkt_ms, mst_ms, mtt_ms, mct_ms, et_s;
};

struct thesis_watch;
struct thesis_watch *thesis_watch_new(const struct schedule *schedule);
void thesis_watch_free(struct thesis_watch *watch);
const struct observer *thesis_watch_observer(const struct thesis_watch *watch);

/*
 * MST: posts and awaits, MTT: copies. MCT: the core loop without what computes, which is a launch
 * from its event before to the return of the wait for the event behind (--timing thesis); where no
 * launch is waited for, its kernel.
 */
struct thesis_times thesis_watch_times(const struct thesis_watch *watch,
				       const struct simulation_result *result, int64_t iterations,
				       int64_t border);

#endif
