/* SPDX-License-Identifier: MIT
 * What of a trace is missing, or contradicts itself.
 */
#ifndef WARPREEL_TRACE_CHECK_H
#define WARPREEL_TRACE_CHECK_H

#include "traces/format/trace.h"

/* Every anomaly, counted. */
struct trace_anomaly {
	const char *kind;
	int64_t count;
	const char *meaning;
	bool incomplete;
};
enum { TRACE_ANOMALY_MAX = 48 };
/* Fills `anomaly` with every kind (also those with count 0) and returns how many kinds;
 * *incomplete_count adds those that make the trace incomplete. */
int trace_check(const struct trace *trace, struct trace_anomaly anomaly[TRACE_ANOMALY_MAX],
		int64_t *incomplete_count);

#endif
