/* SPDX-License-Identifier: MIT
 * Times of a run as D. Spampinato took them ("Modeling Communication on Multi-GPU Systems", NTNU
 * 2009, section 6.2 and appendix B): an event before and behind every kernel and copy, and the host
 * waits for the second one, so that nothing overlaps. While a stopwatch is set, the machine's own
 * calls do that; the plan writes it down as it writes down everything.
 */
#ifndef WARPREEL_MACHINE_STOPWATCH_H
#define WARPREEL_MACHINE_STOPWATCH_H

#include "machine.h"

/* Of one GPU's core loop; NaN where the machine does not compute. */
struct machine_times {
	double kernel_ns, transfer_ns;	  /* between events */
	double sync_ns, communication_ns; /* host clock: posts and awaits; exchanges as a whole */
};

/* Makes its events; -1 after a message, and then there is none. Before the threads start. */
int machine_stopwatch_set(struct machine *m, uint32_t gpus);
void machine_stopwatch_remove(struct machine *m); /* safe where there is none */
/* Inside a thread, around an exchange of borders; nothing where none is set. */
void machine_stopwatch_exchange(struct machine_thread *t, bool begins);
/* Of the last run. */
struct machine_times machine_stopwatch_times(const struct machine *m, uint32_t gpu);

#endif
