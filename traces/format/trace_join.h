/* SPDX-License-Identifier: MIT
 * Traces of several processes of one host become one trace: on one clock, with one number for each
 * GPU, and with a number of its own for each process.
 */
#ifndef WARPREEL_TRACE_JOIN_H
#define WARPREEL_TRACE_JOIN_H

#include "trace.h"

/* When a process was recorded, by the host's monotonic clock, which all of its processes share. */
struct trace_span {
	int64_t begin_ns, end_ns;
	int64_t offset_ns;   /* the monotonic clock less the trace's */
	int64_t realtime_ns; /* the system's clock less the monotonic one: the same on one host,
				until it is booted again */
};

/* 0; -1 without a message: the trace does not say (an export of Nsight's, a prediction). */
int trace_span_of(const struct trace *trace, struct trace_span *span);
/* Whether two recordings are of one host that was not booted in between. */
bool trace_span_same_host(const struct trace_span *a, const struct trace_span *b);

/*
 * Fills an initialised trace called `path` with all rows of `count` traces. GPUs are told apart by
 * their bus location (TARGET_INFO_GPU.busLocation): two processes may each call theirs 0. Meta data
 * that all share stand once, others with the process before their key. -1 after a message naming
 * the trace: one without clocks, of another host, of runs of our own solvers, of virtual GPUs that
 * processes did not share in turns, with profiles, or with GPUs that nothing tells apart. The parts
 * are not changed.
 */
int trace_join(struct trace *joined, const struct trace *part, size_t count, const char *path);

#endif
