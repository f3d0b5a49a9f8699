/* SPDX-License-Identifier: MIT
 * What collectives take on other links than those they were recorded on.
 */
#ifndef WARPREEL_COLLECTIVES_H
#define WARPREEL_COLLECTIVES_H

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

#endif
