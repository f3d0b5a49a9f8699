/* SPDX-License-Identifier: MIT
 * What collectives take: recorded ones on other links than those they were recorded on, and those
 * of which it is known what was asked for, on any (virtual GPUs).
 */
#ifndef WARPREEL_COLLECTIVES_H
#define WARPREEL_COLLECTIVES_H

#include <stdbool.h>

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

/*
 * Sets the work of each collective, which is as `recorded`, the machine it was recorded on, to
 * what `asked` would take. How many bytes a collective moves is in no recording, so of collectives
 * that are alike (kernel, participants, blocks) the median is looked at: what it lasts beyond
 * nccl.least_ns, or the least copy between two GPUs where a platform does not have that, is taken
 * for bytes at nvlink.bytes_per_s; the rest is latency. Equal machines change nothing. No
 * measurement on another link stands behind this.
 */
void collectives_price(struct schedule *schedule, const struct platform *recorded,
		       const struct platform *asked);

/* Sets the work of each collective whose steps are known, as a ring passes it on
 * (sim/copies/ring_price.h). Each launch comes nccl.call_ns of the host later. -1 after a message:
 * the platform has no links. */
int collectives_price_rings(struct schedule *schedule, const struct platform *platform);
/* How many of those there are. */
uint32_t collectives_of_rings(const struct schedule *schedule);
/* Whether the platform's keys are those of NCCL. */
bool collectives_are_calibrated(const struct platform *platform);

#endif
