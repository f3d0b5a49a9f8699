/* SPDX-License-Identifier: MIT
 * Launches of a schedule by host thread and GPU, as residency.c goes through them. GPUs in the
 * middle of a grid launch the same on buffers of their own, so that what one finds in L2 the next
 * one finds, too.
 */
#ifndef WARPREEL_SIM_RESIDENCY_WALKS_H
#define WARPREEL_SIM_RESIDENCY_WALKS_H

#include <stdbool.h>

#include "traces/schedule/schedule.h"

struct residency_walk {
	uint32_t *shape; /* of each launch; owned */
	size_t count, capacity;
	bool sole; /* nobody else launches any of these shapes */
};

/* One for each thread and each GPU, thread by thread; of a shape only the first launches. */
struct residency_walk *residency_walks(const struct schedule *schedule);
void residency_walks_release(struct residency_walk *walks, const struct schedule *schedule);

/* Whether each launch of b is one of a with buffers renamed, the same ones every time. What became
 * of a's shape holds for b's at the same place then. */
bool residency_walks_alike(const struct schedule *schedule, const struct residency_walk *a,
			   const struct residency_walk *b);

#endif
