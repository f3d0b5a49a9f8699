/* SPDX-License-Identifier: MIT
 * What a trace comes to: durations by name, busy time of a GPU, core loops, profiled launches. For
 * `warpreel info` and `warpreel compare`.
 */
#ifndef WARPREEL_TRACE_SUMMARY_H
#define WARPREEL_TRACE_SUMMARY_H

#include "traces/format/trace.h"

enum summary_kind {
	SUMMARY_KERNEL,
	SUMMARY_COPY,
	SUMMARY_MEMSET,
	SUMMARY_API,
	SUMMARY_HOST,
	SUMMARY_RANGE, /* of NVTX */
	SUMMARY_BUSY,
	SUMMARY_CORE,
	SUMMARY_PROFILE, /* one a profiled launch; count: warp instructions, 0 where they were not
			    counted */
	SUMMARY_KIND_COUNT
};
extern const char *const summary_kind_name[SUMMARY_KIND_COUNT];

struct summary_line {
	enum summary_kind kind;
	char *name;				    /* owned; as text_shown has it */
	int64_t count;				    /* rows; unknown durations count here only */
	double total_us, median_us, min_us, max_us; /* NaN when no duration is known */
};
struct summary {
	struct summary_line
		*line; /* by kind; within a kind the largest total first, then by name */
	size_t line_count, line_capacity;
};

void summary_make(struct summary *summary, const struct trace *trace);
void summary_release(struct summary *summary);

/* Core loop of run number `run` in ns: from the last thread's begin to the last thread's end; -1
 * without such marks. */
int64_t trace_core_ns(const struct trace *trace, size_t run);

#endif
