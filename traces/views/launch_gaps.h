/* SPDX-License-Identifier: MIT
 * The device's pause between two kernels that follow each other on a stream, where it is the
 * device's own: the second launch had reached the queue well before the first kernel ended, and the
 * thread called nothing in between.
 */
#ifndef WARPREEL_LAUNCH_GAPS_H
#define WARPREEL_LAUNCH_GAPS_H

#include "traces/format/trace.h"

/* gap_ns[trace->kernel_count], owned by the caller: pause after each kernel, -1 where none of that
 * kind follows. */
int64_t *launch_gaps(const struct trace *trace);

#endif
