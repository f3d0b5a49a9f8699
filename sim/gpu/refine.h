/* SPDX-License-Identifier: MIT
 * What a launch's traffic makes of L2 and DRAM beyond their latencies and rates: each refinement a
 * function of the traffic and the device, with its row in model/mechanism/mechanisms.def. Where it
 * is left out, or the device's keys are not known, it answers what is neutral.
 */
#ifndef WARPREEL_REFINE_H
#define WARPREEL_REFINE_H

#include "traffic.h"

/* Cycles that a read takes of the time of L2's write side, for each it takes of its own:
 * l2-copy, l2-rewritten, l2-wide. 0: none. */
double refine_l2_beside_writes(const struct sm_device *device, const struct traffic *traffic);
/* Share of lines that are dirty in the far partition: l2-far-dirty. */
double refine_l2_far_dirty(const struct sm_device *device, const struct traffic *traffic);
/* Threads' atomics on the whole device: atomic-slices. */
double refine_atomics_per_s(const struct sm_device *device, const struct traffic *traffic);
/* How many times as long an atomic takes beside what DRAM moves: atomic-beside-dram. 0: nobody
 * knows, and neither stands in the other's way. */
double refine_atomic_beside(const struct sm_device *device, const struct traffic *traffic);
/* Share of all lines that lie in one slice of L2. */
double refine_slice_lines(const struct sm_device *device);
/* What a byte written to DRAM takes longer: dram-turnaround, dram-update. `read_share`: of the
 * bytes that move, those that are read. */
double refine_dram_turnaround_s(const struct sm_device *device, const struct traffic *traffic,
				double read_share);

#endif
