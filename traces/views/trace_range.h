/* SPDX-License-Identifier: MIT
 * NVTX ranges say what a program was about. One of them, by its name, can stand for the core loop
 * of a program that marks none itself.
 */
#ifndef WARPREEL_TRACE_RANGE_H
#define WARPREEL_TRACE_RANGE_H

#include "traces/format/trace.h"

/*
 * Marks as core loop what lies between the begin of the first range asked for and the end of the
 * last, on whichever threads these are. A name is a range's name: all of them, which must not
 * differ by more than twice in length; with "#K" the K-th to begin, from 0, with "#-K" the last K
 * to begin, with "#all" all of them, however long; of one thread or process, if one is named.
 * Those that never close are counted; asked for by number they are an error. Says how many were
 * taken, and how many threads have some; -1 after a message.
 */
struct marked_ranges {
	int64_t ranges, threads;
};
struct range_request {
	const char *name;
	const char *thread;  /* by name or number: only ranges of it are counted; NULL = any */
	const char *process; /* by number; NULL = any */
};
int trace_mark_range(struct trace *trace, const struct range_request *range,
		     struct marked_ranges *marked);

#endif
