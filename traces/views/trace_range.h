/* SPDX-License-Identifier: MIT
 * NVTX ranges say what a program was about. One of them, by its name, can stand for the core loop
 * of a program that marks none itself.
 */
#ifndef WARPREEL_TRACE_RANGE_H
#define WARPREEL_TRACE_RANGE_H

#include "traces/format/trace.h"

/*
 * Marks as core loop what lies between the begin of the first range called `name` and the end of
 * the last, on whichever threads these are. Ranges that never end do not count. Says how many there
 * are, and how many threads have some; -1 after a message: the trace has runs, whose solvers mark
 * their own, or no such range.
 */
struct marked_ranges {
	int64_t ranges, threads;
};
int trace_mark_range(struct trace *trace, const char *name, struct marked_ranges *marked);

#endif
