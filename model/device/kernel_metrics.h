/* SPDX-License-Identifier: MIT
 * Efficiency and Utilization of a profiled kernel: S. Ryoo et al., "Program optimization space
 * pruning for a multithreaded GPU", CGO 2008; equations (10) and (11) of the paper on multi-layer
 * SSOR that took them up. From counts of the machine code instead of PTX:
 *
 *     Efficiency  = 1 / (Instr * Threads)
 *     Utilization = Instr / Regions * [ (W_TB - 1) / 2 + (B_SM - 1) * W_TB ]
 *
 *   Instr    instructions a thread executes, predicate on: the mean over all threads of the launch
 *   Threads  of the launch
 *   Regions  1 + blocking instructions a thread executes. Blocking are barriers of the block, and
 * instructions that wait for a scoreboard which a load from global, local or texture memory, an
 * atomic or an asynchronous copy may have raised: so loads that one instruction waits for together
 * count once W_TB     warps of a block B_SM     blocks that a multiprocessor holds (sm_occupancy),
 * at most those that the grid has for it
 */
#ifndef WARPREEL_KERNEL_METRICS_H
#define WARPREEL_KERNEL_METRICS_H

#include "traces/profiles/kernel_profile.h"
#include "sm_device.h"

struct kernel_metrics {
	double threads, instructions, regions;
	int warps_per_block, blocks_per_sm; /* blocks_per_sm: 0 without a device */
	double efficiency, utilization;	    /* utilization: NaN without a device */
};

/* `device` may be NULL. -1 after a message naming the kernel: it was not counted, or a block of it
 * does not fit the device. */
int kernel_metrics(struct kernel_metrics *metrics, const struct kernel_profile *profile,
		   const struct sm_device *device, int sm_count);

/* Which instructions block, by place; owned by the caller. */
bool *blocking_instructions(const struct kernel_profile *profile);

#endif
