/* SPDX-License-Identifier: MIT
 * What the tests of schedules from traces share: rows as the recorder makes them, and loading
 * without a word.
 */
#ifndef WARPREEL_SCHEDULE_KIT_H
#define WARPREEL_SCHEDULE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/format/annotate.h"
#include "traces/format/trace.h"
#include "traces/base/util.h"
#include "traces/load/schedule_from_trace.h"

enum { PID = 9, MAIN = 9, SECOND = 10 };
static const int64_t global_pid = (int64_t)PID << 24;

/* Times of a call: [at, at + 10). */
static inline int64_t call(struct trace *t, int tid, int64_t at_ns, const char *name)
{
	int64_t correlation = (int64_t)t->api_count + 1;

	*trace_add_api(t) = (struct trace_api){ .start_ns = at_ns,
						.end_ns = at_ns + 10,
						.global_tid = global_pid | tid,
						.correlation = correlation,
						.name = trace_string(t, name) };
	return correlation;
}

static inline void launch(struct trace *t, int tid, int64_t at_ns, int gpu, int stream,
			  const char *kernel, int64_t duration_ns)
{
	int64_t correlation = call(t, tid, at_ns, "cudaLaunchKernel_v7000");

	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = at_ns + 20,
						      .end_ns = at_ns + 20 + duration_ns,
						      .device = gpu,
						      .context = gpu + 1,
						      .stream = stream,
						      .correlation = correlation,
						      .global_pid = global_pid,
						      .demangled_name = trace_string(t, kernel),
						      .grid = { 8, 1, 1 },
						      .block = { 128, 1, 1 },
						      .registers = 32,
						      .static_shared_bytes = 100,
						      .dynamic_shared_bytes = 28,
						      .graph_node = -1 };
}

/* Of the call `correlation`, 30 long. */
static inline struct trace_memcpy *copy_row(struct trace *t, int64_t correlation, int64_t at_ns,
					    int32_t kind, int gpu, int peer, int64_t bytes)
{
	struct trace_memcpy *row = trace_add_memcpy(t);

	*row = (struct trace_memcpy){ .start_ns = at_ns,
				      .end_ns = at_ns + 30,
				      .device = gpu,
				      .context = gpu + 1,
				      .stream = 7,
				      .correlation = correlation,
				      .global_pid = global_pid,
				      .bytes = bytes,
				      .copy_kind = kind,
				      .source_kind = kind == 1 ? 1 : 2,
				      .target_kind = kind == 2 ? 0 : 2,
				      .source_device = kind == 10 ? gpu : -1,
				      .target_device = kind == 10 ? peer : -1,
				      .graph_node = -1 };
	return row;
}

static inline void copy(struct trace *t, int tid, int64_t at_ns, const char *name, int32_t kind,
			int gpu, int peer, int64_t bytes)
{
	copy_row(t, call(t, tid, at_ns, name), at_ns + 20, kind, gpu, peer, bytes);
}

static inline void record(struct trace *t, int tid, int64_t at_ns, int gpu, int stream,
			  int64_t event, int64_t sync_id)
{
	int64_t correlation = call(t, tid, at_ns, "cudaEventRecord_v3020");

	*trace_add_event(t) = (struct trace_event){ .device = gpu,
						    .context = gpu + 1,
						    .stream = stream,
						    .correlation = correlation,
						    .global_pid = global_pid,
						    .event_id = event,
						    .event_sync_id = sync_id,
						    .timestamp_ns = -1 };
}

static inline void sync_row(struct trace *t, int64_t correlation, int gpu, int stream, int32_t type,
			    int64_t event, int64_t sync_id)
{
	*trace_add_sync(t) = (struct trace_sync){ .start_ns = 0,
						  .end_ns = 1,
						  .device = gpu,
						  .context = gpu + 1,
						  .stream = stream,
						  .correlation = correlation,
						  .global_pid = global_pid,
						  .sync_type = type,
						  .event_id = event,
						  .event_sync_id = sync_id };
}

static inline void wait(struct trace *t, int tid, int64_t at_ns, int gpu, int stream, int64_t event,
			int64_t sync_id)
{
	sync_row(t, call(t, tid, at_ns, "cudaStreamWaitEvent_v3020"), gpu, stream, 2, event,
		 sync_id);
}

static inline void note(struct trace *t, int tid, int64_t at_ns, int32_t kind, uint32_t object,
			int64_t value)
{
	*trace_add_host_op(t) =
		(struct trace_host_op){ .start_ns = at_ns,
					.end_ns = at_ns + (kind == NOTE_MARK ? 0 : 5),
					.global_tid = global_pid | tid,
					.kind = kind,
					.object = object,
					.value = value };
}

/* Loads, silently: warnings go to /dev/null. */
static inline int load(struct schedule *s, const struct trace *t, int run)
{
	int saved = dup(2), nowhere = open("/dev/null", O_WRONLY), rc;

	dup2(nowhere, 2);
	close(nowhere);
	schedule_init(s);
	rc = schedule_from_trace(s, t, run);
	dup2(saved, 2);
	close(saved);
	return rc;
}

#endif
