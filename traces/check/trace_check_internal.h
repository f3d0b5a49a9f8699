/* SPDX-License-Identifier: MIT
 * Inside trace_check: what the steps share.
 *
 *   trace_check.c         the order of the steps; losses, runs and profiles
 *   trace_check_device.c  kernels, copies, memsets and blocks
 *   trace_check_calls.c   API calls and events
 *   trace_check_host.c    counters and barriers of the host, and calls that get in each other's way
 *   trace_check_collectives.c  operations of several GPUs
 *   trace_check_values.c  numbers that nothing can have
 */
#ifndef WARPREEL_TRACE_CHECK_INTERNAL_H
#define WARPREEL_TRACE_CHECK_INTERNAL_H

#include <stdbool.h>

#include "trace_check.h"
#include "traces/base/trace_map.h"
#include "traces/load/api_calls.h"

enum kind {
#define TRACE_ANOMALY(kind, name, meaning, incomplete) kind,
#include "trace_anomalies.def"
#undef TRACE_ANOMALY
	KIND_COUNT
};

struct checking {
	const struct trace *t;
	int64_t count[KIND_COUNT];
	struct map api;	    /* (process, correlation) -> row */
	struct map work;    /* (process, correlation) -> 1 */
	struct map gpu;	    /* device -> 1 */
	struct map strings; /* string number of an API name -> enum call_kind */
	bool *captured;	    /* by API row */
	bool predicted;
};

/* Every row that has times. */
static inline void check_times(struct checking *c, int64_t start_ns, int64_t end_ns)
{
	c->count[ZERO_TIME] += start_ns == -1 || end_ns == -1;
	c->count[BACKWARDS] += start_ns != -1 && end_ns != -1 && end_ns < start_ns;
}

/* The run that an instant belongs to; NULL = none. */
const struct trace_run *check_run_of(const struct trace *t, int64_t at_ns);

void check_device(struct checking *c);
void check_overlap(struct checking *c);
void check_blocks(struct checking *c);
void check_calls(struct checking *c);
void check_events(struct checking *c);
void check_host(struct checking *c);
void check_collectives(struct checking *c);
void check_threads(struct checking *c);
void check_values(struct checking *c);

/* What the calls of a name ask for. */
enum call_kind check_call_kind(struct checking *c, uint32_t name);

#endif
