/* SPDX-License-Identifier: MIT
 * A trace in which nothing is missing, for tests to break, to show and to compare.
 */
#ifndef WARPREEL_COMPLETE_TRACE_KIT_H
#define WARPREEL_COMPLETE_TRACE_KIT_H

#include "traces/format/annotate.h"
#include "trace_kit.h"

/* A complete trace of one launch in one run; the tests break it. */
static inline void fill_complete(struct trace *t)
{
	const int64_t pid = (int64_t)7 << 24, tid = pid | 7;

	*trace_add_gpu(t) = (struct trace_gpu){ .device = 0, .name = trace_string(t, "GPU") };
	*trace_add_run(t) = (struct trace_run){
		.start_ns = 50, .end_ns = 10000, .solver = trace_string(t, "rbsor"), .gpus = 1
	};
	*trace_add_api(t) = (struct trace_api){ .start_ns = 100,
						.end_ns = 110,
						.global_tid = tid,
						.correlation = 1,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_api(t) = (struct trace_api){ .start_ns = 120,
						.end_ns = 130,
						.global_tid = tid,
						.correlation = 2,
						.name = trace_string(t, "cudaEventRecord_v3020") };
	*trace_add_api(t) =
		(struct trace_api){ .start_ns = 140,
				    .end_ns = 150,
				    .global_tid = tid,
				    .correlation = 3,
				    .name = trace_string(t, "cudaStreamWaitEvent_v3020") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = 105,
						      .end_ns = 500,
						      .stream = 7,
						      .context = 1,
						      .correlation = 1,
						      .global_pid = pid,
						      .demangled_name = trace_string(t, "k"),
						      .grid = { 1, 1, 1 },
						      .block = { 32, 1, 1 },
						      .graph_node = -1 };
	*trace_add_footprint(t) = (struct trace_footprint){
		.correlation = 1, .global_pid = pid, .bytes = 8, .mode = ACCESS_READ
	};
	*trace_add_event(t) = (struct trace_event){ .stream = 7,
						    .context = 1,
						    .correlation = 2,
						    .global_pid = pid,
						    .event_id = 4,
						    .event_sync_id = 9,
						    .timestamp_ns = -1 };
	*trace_add_sync(t) = (struct trace_sync){ .start_ns = 141,
						  .end_ns = 149,
						  .stream = 8,
						  .context = 1,
						  .correlation = 3,
						  .global_pid = pid,
						  .sync_type = 2,
						  .event_id = 4,
						  .event_sync_id = 9 };
	*trace_add_host_op(t) = (struct trace_host_op){
		.start_ns = 160, .end_ns = 161, .global_tid = tid, .kind = NOTE_POST, .value = 3
	};
	*trace_add_host_op(t) = (struct trace_host_op){ .start_ns = 170,
							.end_ns = 171,
							.global_tid = tid,
							.kind = NOTE_AWAIT_SPIN,
							.value = 3 };
	*trace_add_host_op(t) = (struct trace_host_op){
		.start_ns = 180, .end_ns = 181, .global_tid = tid, .kind = NOTE_BARRIER
	};
	*trace_add_host_op(t) = (struct trace_host_op){
		.start_ns = 180, .end_ns = 181, .global_tid = tid + 1, .kind = NOTE_BARRIER
	};
}

#endif
