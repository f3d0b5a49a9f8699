/* SPDX-License-Identifier: MIT
 * Every key of a platform file, once.
 */
#include "platform_internal.h"

#include <stdbool.h>
#include <string.h>

const char *const host_cost_key[HOST_COST_COUNT] = {
	[HOST_LAUNCH] = "launch_ns",
	[HOST_LAUNCH_IDLE] = "launch_idle_ns",
	[HOST_RECORD] = "record_ns",
	[HOST_WAIT] = "wait_ns",
	[HOST_WAIT_OWN] = "wait_own_ns",
	[HOST_COPY_H2D] = "copy_h2d_ns",
	[HOST_COPY_D2H] = "copy_d2h_ns",
	[HOST_COPY_PEER] = "copy_peer_ns",
	[HOST_COPY_D2D] = "copy_d2d_ns",
	[HOST_MEMSET] = "memset_ns",
	[HOST_SYNC_IDLE] = "sync_idle_ns",
	[HOST_TEXTURE] = "texture_ns",
	[HOST_LIBRARY] = "library_ns",
	[HOST_SYNC_WAKE] = "sync_wake_ns",
	[HOST_POST] = "post_ns",
	[HOST_POST_BLOCK] = "post_block_ns",
	[HOST_AWAIT_READY] = "await_ready_ns",
	[HOST_WAKE_SPIN] = "wake_spin_ns",
	[HOST_WAKE_BLOCK] = "wake_block_ns",
	[HOST_BARRIER] = "barrier_ns",
};

const char *const copy_curve_section[COPY_CURVE_COUNT] = {
	[COPY_CURVE_H2D] = "copy.h2d",
	[COPY_CURVE_D2H] = "copy.d2h",
	[COPY_CURVE_PEER] = "copy.peer",
	[COPY_CURVE_D2D] = "copy.d2d",
	[COPY_CURVE_H2D_PAGEABLE] = "copy.h2d_pageable",
	[COPY_CURVE_D2H_PAGEABLE] = "copy.d2h_pageable",
	[COPY_CURVE_H2D_2D] = "copy.h2d_2d",
	[COPY_CURVE_D2H_2D] = "copy.d2h_2d",
};

#define AT(member) offsetof(struct platform, member)
#define NEEDED KEY_REQUIRED
#define PEERS KEY_REQUIRED_PEERS
#define MOVES KEY_BASE /* what was measured beside it moves along */
#define SM KEY_REQUIRED_SM
#define CURVE_X(flags) ((flags) | KEY_ASCENDING | KEY_POSITIVE)
#define ROOM KEY_ROOM
#define RATE(flags) ((flags) | KEY_INFINITE | KEY_POSITIVE)

/* A cost of a host call: [host] X, and the same call under the recorder, as period and as duration
 * of its API record. */
#define HOST_COST(kind, key, need, help)                                                           \
	{                                                                                          \
		"host." key, KEY_LIST, need, AT(host[kind]), "host.threads", "ns", help            \
	}
/* The same call in the company of others (model/calibrate/calibrate_loops.cu). */
#define LOOP_COST(kind, key, help)                                                                 \
	{                                                                                          \
		"host.loop_" key, KEY_LIST, 0, AT(loop_host[kind]), "host.threads", "ns", help     \
	}
/* The first such call of a thread (model/calibrate/calibrate_first.cu). */
#define FIRST_COST(kind, key, help)                                                                \
	{                                                                                          \
		"host.first_" key, KEY_LIST, 0, AT(first_host[kind]), "host.threads", "ns", help   \
	}
/* The calls of threads that exchange borders from GPU to GPU
 * (model/calibrate/calibrate_peer_exchange.cu). */
#define PEER_EXCHANGE_COST(kind, key, help)                                                        \
	{                                                                                          \
		"peer_exchange." key, KEY_LIST, 0, AT(peer_exchange[kind]), "host.threads", "ns",  \
			help                                                                       \
	}
#define COPY_CURVE(kind, section, need, help)                                                      \
	{ section ".bytes",    KEY_LIST, CURVE_X(need) | MOVES, AT(copy[kind].x), NULL, "bytes",   \
	  "sizes of the curve" },                                                                  \
	{                                                                                          \
		section ".ns", KEY_LIST, (need) | MOVES, AT(copy[kind].y), section ".bytes", "ns", \
			help                                                                       \
	}
/* Copies of rows (tests/gpu_rows.cu). */
#define ROW_COST(kind, section)                                                                    \
	{                                                                                          \
		section ".row_ns", KEY_REAL, 0, AT(row_ns[kind]), NULL, "ns",                      \
			"what each row of such a copy of rows adds to what its bytes take; "       \
			"absent: 0"                                                                \
	}
/* Copies a host thread waits for, on an idle stream and behind a kernel. */
/* clang-format off */
#define IDLE_CURVES(kind, section) \
	{ section ".idle_bytes", KEY_LIST, CURVE_X(0), AT(idle[kind].x), NULL, "bytes", \
	  "sizes of the idle and behind_kernel lists" }, \
	{ section ".idle_ns", KEY_LIST, 0, AT(idle[kind].y), section ".idle_bytes", "ns", \
	  "such a copy on an idle stream: return of the call to return of the synchronisation" }, \
	{ section ".behind_kernel_ns", KEY_LIST, 0, AT(behind[kind]), section ".idle_bytes", "ns", \
	  "what such a copy adds to a kernel and the synchronisation after both" }, \
	{ section ".behind_copy_ns", KEY_LIST, 0, AT(behind_copy[kind]), section ".idle_bytes", \
	  "ns", "what such a copy adds to a chain of copies" }
/* clang-format on */
/* A class of instructions on a multiprocessor. Files older than the class of DMMA lack it. */
#define CLASS_FLAGS(id) (SASS_##id == SASS_TENSOR_FP64 ? 0 : SM)
#define SASS_CLASS(id, class_name, summary)                                                        \
	{ "sm." class_name "_interval",                                                            \
	  KEY_REAL,                                                                                \
	  CLASS_FLAGS(id),                                                                         \
	  AT(sm.interval[SASS_##id]),                                                              \
	  NULL,                                                                                    \
	  "cycles",                                                                                \
	  "how long a warp instruction occupies its pipe: " summary },                             \
		{ "sm." class_name "_latency",                                                     \
		  KEY_REAL,                                                                        \
		  CLASS_FLAGS(id),                                                                 \
		  AT(sm.latency[SASS_##id]),                                                       \
		  NULL,                                                                            \
		  "cycles",                                                                        \
		  "its issue to the result being usable" },
const struct platform_key platform_keys[] = {
	{ "platform.name", KEY_TEXT, NEEDED, AT(name), NULL, "text",
	  "what the platform is called" },
	{ "platform.source", KEY_TEXT, NEEDED, NO_MEMBER, NULL, "text",
	  "\"measured\", \"datasheet\" or \"extrapolated\" (measured on a smaller machine)" },
	{ "platform.kernels", KEY_TEXT, 0, AT(kernels), NULL, "text",
	  "the platform whose kernel profiles serve: counts, no times; default: that of "
	  "platform.data" },
	{ "platform.data", KEY_TEXT, 0, AT(data), NULL, "text",
	  "the platform whose recorded profile and interval widths serve; default: this one" },
	{ "platform.input_visits", KEY_TEXT, 0, NO_MEMBER, NULL, "text",
	  "visits that gave this file, the profile or the replay traces: their rows of "
	  "measured.tsv are no test" },
	{ "platform.measured_gpus", KEY_INTEGER, KEY_POSITIVE, AT(measured_gpus), NULL, "count",
	  "GPU counts beyond this were not measured" },

	{ "device.name", KEY_TEXT, 0, NO_MEMBER, NULL, "text", "the GPU's name" },
	{ "device.gpus", KEY_INTEGER, NEEDED | KEY_POSITIVE, AT(gpus), NULL, "count",
	  "GPUs of the machine" },
	{ "device.sm_count", KEY_INTEGER, NEEDED | KEY_POSITIVE, AT(sm_count), NULL, "count",
	  "streaming multiprocessors of a GPU" },
	{ "device.copy_engines", KEY_INTEGER, NEEDED | KEY_POSITIVE, AT(copy_engines), NULL,
	  "count", "copy engines of a GPU" },
	{ "device.copy_channels", KEY_INTEGER, KEY_POSITIVE, AT(copy_channels), NULL, "count",
	  "channels of a copy engine, which a GPU's streams share by turns; absent: one a stream" },
	{ "device.memory_bytes", KEY_REAL, NEEDED | KEY_POSITIVE, AT(memory_bytes), NULL, "bytes",
	  "device memory" },

	{ "host.threads", KEY_LIST, CURVE_X(NEEDED), AT(threads), NULL, "count",
	  "host threads at once, each driving a GPU of its own: the x of the other lists of this "
	  "section" },
	HOST_COST(HOST_LAUNCH, "launch_ns", NEEDED | MOVES,
		  "kernel launch, the queue neither empty nor full"),
	HOST_COST(HOST_LAUNCH_IDLE, "launch_idle_ns", NEEDED | MOVES,
		  "kernel launch on a stream that was just synchronised"),
	HOST_COST(HOST_RECORD, "record_ns", NEEDED | MOVES, "event record"),
	HOST_COST(HOST_WAIT, "wait_ns", NEEDED | MOVES, "making a stream wait for an event"),
	HOST_COST(HOST_COPY_H2D, "copy_h2d_ns", NEEDED | MOVES,
		  "issuing an asynchronous copy, pinned host memory to device"),
	HOST_COST(HOST_COPY_D2H, "copy_d2h_ns", NEEDED | MOVES,
		  "issuing an asynchronous copy, device to pinned host memory"),
	HOST_COST(HOST_COPY_PEER, "copy_peer_ns", PEERS | MOVES,
		  "issuing an asynchronous copy to another GPU"),
	HOST_COST(HOST_COPY_D2D, "copy_d2d_ns", NEEDED,
		  "issuing an asynchronous copy within a GPU"),
	HOST_COST(HOST_MEMSET, "memset_ns", NEEDED, "issuing an asynchronous memset"),
	HOST_COST(HOST_SYNC_IDLE, "sync_idle_ns", NEEDED, "synchronising a stream that is empty"),
	HOST_COST(HOST_TEXTURE, "texture_ns", 0,
		  "making a texture object and giving it back; absent: 0"),
	HOST_COST(HOST_LIBRARY, "library_ns", 0,
		  "a product asked of cuBLAS, beside its launch; absent: 0"),
	HOST_COST(HOST_SYNC_WAKE, "sync_wake_ns", NEEDED | MOVES,
		  "from the device being done to the return of the synchronisation that waits for "
		  "it"),
	HOST_COST(HOST_POST, "post_ns", 0,
		  "raising a counter nobody sleeps on (atomic store); absent: 0"),
	HOST_COST(HOST_POST_BLOCK, "post_block_ns", NEEDED,
		  "raising a counter a thread sleeps on (mutex and condition variable)"),
	HOST_COST(HOST_AWAIT_READY, "await_ready_ns", 0,
		  "awaiting a counter that is already there; absent: 0"),
	HOST_COST(HOST_WAKE_SPIN, "wake_spin_ns", NEEDED,
		  "from the begin of a post to the return of the spinning await"),
	HOST_COST(HOST_WAKE_BLOCK, "wake_block_ns", NEEDED,
		  "from the begin of a post to the return of the sleeping await"),
	HOST_COST(HOST_BARRIER, "barrier_ns", NEEDED,
		  "from the last thread's arrival at a barrier to all going on"),
	LOOP_COST(HOST_LAUNCH, "launch_ns",
		  "kernel launch in a loop of launches, records, waits and copies between GPUs"),
	{ "host.loop_launch_plain_ns", KEY_LIST, 0, AT(loop_launch_plain), "host.threads", "ns",
	  "kernel launch in a loop of nothing else, the device keeping up" },
	LOOP_COST(HOST_LAUNCH_IDLE, "launch_idle_ns",
		  "first launch after a synchronisation, in a loop with copies through the host"),
	LOOP_COST(HOST_RECORD, "record_ns", "event record in such a loop"),
	LOOP_COST(HOST_WAIT, "wait_ns", "wait for another GPU's event in such a loop"),
	LOOP_COST(HOST_WAIT_OWN, "wait_own_ns",
		  "wait for an event of the same GPU, in a loop of two streams a GPU; absent: as "
		  "for another GPU's"),
	LOOP_COST(HOST_COPY_H2D, "copy_h2d_ns", "copy to the device in such a loop, stream idle"),
	LOOP_COST(HOST_COPY_D2H, "copy_d2h_ns",
		  "copy to the host in such a loop, right behind a launch"),
	LOOP_COST(HOST_COPY_PEER, "copy_peer_ns", "copy to another GPU in such a loop"),
	{ "host.loop_copies_h2d_ns", KEY_LIST, 0, AT(loop_copies_h2d), "host.threads", "ns",
	  "copy to the device right behind another, over many streams" },
	{ "host.loop_copies_d2h_ns", KEY_LIST, 0, AT(loop_copies_d2h), "host.threads", "ns",
	  "copy to the host right behind another, over many streams" },
	FIRST_COST(HOST_LAUNCH, "launch_ns",
		   "what the first launch of a thread just made takes more than the next ones, so "
		   "many threads at once"),
	FIRST_COST(HOST_COPY_H2D, "copy_ns", "the same of its first copy"),
	FIRST_COST(HOST_LIBRARY, "library_ns", "the same of its first product by cuBLAS"),
	FIRST_COST(HOST_RECORD, "record_ns", "the same of its first event record"),
	FIRST_COST(HOST_WAIT, "wait_ns", "the same of the first event it makes a stream wait for"),
	PEER_EXCHANGE_COST(HOST_LAUNCH, "launch_ns", "a launch"),
	PEER_EXCHANGE_COST(HOST_RECORD, "record_ns", "an event recorded"),
	PEER_EXCHANGE_COST(HOST_WAIT, "wait_ns",
			   "a wait for the event a neighbour has just recorded"),
	PEER_EXCHANGE_COST(HOST_COPY_PEER, "copy_peer_ns", "call of a copy to a neighbour"),
	{ "peer_exchange.call_quantiles", KEY_LIST, KEY_POSITIVE, AT(peer_exchange_call_quantiles),
	  NULL, "ratio", "a call over the mean of its kind, mean of each twentieth" },
	{ "poll.sync_ns", KEY_REAL, 0, AT(poll.sync_ns), NULL, "ns",
	  "a kernel's launch's return to return of the synchronisation, less the kernel's body" },
	{ "poll.copy_period_ns", KEY_REAL, 0, AT(poll.period_ns), NULL, "ns",
	  "a copy down behind a kernel: how often its channel polls" },
	{ "poll.copy_polled_ns", KEY_REAL, 0, AT(poll.polled_ns), NULL, "ns",
	  "longest body behind which it goes on at once" },
	{ "poll.copy_least_ns", KEY_REAL, 0, AT(poll.least_ns), NULL, "ns",
	  "what it adds at best" },
	{ "poll.copy_call_ns", KEY_REAL, 0, AT(poll.call_ns), NULL, "ns",
	  "first call's return to the return of the call that waits" },
	{ "interval.below", KEY_REAL, 0, AT(interval_below), NULL, "ratio",
	  "how far below an answer its interval begins" },
	{ "interval.above", KEY_REAL, 0, AT(interval_above), NULL, "ratio",
	  "how far above an answer its interval ends" },
	{ "interval.runs", KEY_REAL, 0, AT(interval_runs), NULL, "count",
	  "how many runs these are of; 0: nobody looked" },
	{ "nccl.least_ns", KEY_REAL, 0, AT(nccl_least_ns), NULL, "ns",
	  "a collective of NCCL on two GPUs that moves next to nothing, from the later kernel's "
	  "begin to the end of both" },
	{ "nccl.call_ns", KEY_REAL, 0, AT(nccl_call_ns), NULL, "ns",
	  "what a call of NCCL takes the host but for its launch" },
	{ "nccl.step_ns", KEY_REAL, 0, AT(nccl_step_ns), NULL, "ns",
	  "what each further step of a ring adds" },
	{ "nccl.share_bytes", KEY_LIST, CURVE_X(0), AT(nccl_share.x), NULL, "bytes",
	  "bytes that an operation puts on a link" },
	{ "nccl.share", KEY_LIST, KEY_POSITIVE, AT(nccl_share.y), "nccl.share_bytes", "ratio",
	  "how much of nvlink.bytes_per_s NCCL's kernels reach with so many" },
	{ "doorbell.silent_exchange_ns", KEY_REAL, 0, AT(doorbell.silent_exchange_ns), NULL, "ns",
	  "an exchange of two GPUs in step, enqueued ahead, the host silent" },
	{ "doorbell.rung_exchange_ns", KEY_REAL, 0, AT(doorbell.rung_exchange_ns), NULL, "ns",
	  "the same while both host threads launch and copy" },
	{ "doorbell.poll_ns", KEY_REAL, 0, AT(doorbell.poll_ns), NULL, "ns",
	  "how long a channel polls without pause for another GPU's event" },
	{ "host.thread_quantiles", KEY_LIST, KEY_POSITIVE, AT(thread_quantiles), NULL, "ratio",
	  "spread between host threads: mean call of a thread over that of the median thread, at "
	  "the middle of equal shares" },
	{ "host.call_quantiles", KEY_LIST, KEY_POSITIVE, AT(call_quantiles), NULL, "ratio",
	  "spread of calls: one call over its thread's trimmed mean, means of equal shares" },
	{ "host.slowest_call_ns", KEY_REAL, 0, AT(slowest_call_ns), NULL, "ns",
	  "what the slowest 0.2 % of the calls take more than others" },
	{ "host.core_additions", KEY_REAL, 0, AT(core_additions), NULL, "1/1000",
	  "independent additions in a thousand cycles of a core that no other thread uses; absent: "
	  "nothing is made of cores" },
	{ "host.shared_cores", KEY_REAL, KEY_SHARE, AT(shared_cores), NULL, "ratio",
	  "of a recording's calls, how many to answer for as made on cores that another thread "
	  "uses, "
	  "too; absent: as many as the host had when it was recorded" },
	{ "host.shared_longer", KEY_LIST, 0, AT(shared_longer), NULL, "ratio",
	  "what launches, records and waits, copies, memsets take more on such a core, and the "
	  "program between its calls (optional); absent: nothing is made of cores" },
	{ "host.shared_met", KEY_REAL, 0, AT(shared_met), NULL, "ratio",
	  "how often running threads meet a shared core, over how often the host's cores are "
	  "shared when they are looked at one by one (optional); absent: 1" },
	{ "host.query_ns", KEY_REAL, 0, AT(query_ns), NULL, "ns",
	  "a query call (cudaGetDevice), one thread" },
	{ "host.graph_ns", KEY_REAL, 0, AT(graph_ns), NULL, "ns",
	  "launch of a graph, until its first node is on its way" },
	{ "host.graph_turn_ns", KEY_REAL, 0, AT(graph_turn_ns), NULL, "ns",
	  "and more of that call for each further node that is a memset, or a kernel behind one or "
	  "behind a copy" },
	{ "host.graph_copy_turn_ns", KEY_REAL, 0, AT(graph_copy_turn_ns), NULL, "ns",
	  "the same for a copy" },
	{ "host.queue_depth", KEY_INTEGER, NEEDED | KEY_POSITIVE, AT(queue_depth), NULL, "count",
	  "launches the host can be ahead of the device before a launch blocks" },

	{ "stream.start_latency_ns", KEY_REAL, NEEDED | MOVES, AT(start_latency_ns), NULL, "ns",
	  "return of a launch on an idle stream to the kernel's begin" },
	{ "stream.copy_start_latency_ns", KEY_REAL, 0, AT(copy_start_latency_ns), NULL, "ns",
	  "the same of a copy, where there is no list of copies on an idle stream; absent: 0" },
	{ "stream.record_ns", KEY_REAL, 0, AT(record_ns), NULL, "ns",
	  "what an event record adds between two kernels of a stream; absent: 0" },
	{ "stream.timed_record_ns", KEY_REAL, 0, AT(timed_record_ns), NULL, "ns",
	  "the same where the event keeps the time of its record; absent: as record_ns" },
	{ "stream.wait_ns", KEY_REAL, NEEDED, AT(wait_ns), NULL, "ns",
	  "what a wait for an event already complete adds between two kernels of a stream" },
	{ "stream.wait_peer_ns", KEY_REAL, 0, AT(wait_peer_ns), NULL, "ns",
	  "the same of a wait for another GPU's event, of which the stream is long ahead; absent: "
	  "as wait_ns" },
	{ "stream.event_same_ns", KEY_REAL, NEEDED, AT(event_same_ns), NULL, "ns",
	  "an event complete on one stream to a waiting stream of the same GPU going on" },
	{ "stream.event_peer_ns", KEY_REAL, PEERS | MOVES, AT(event_peer_ns), NULL, "ns",
	  "the same with the waiting stream on another GPU" },
	{ "stream.kernel_gap_duration_ns", KEY_LIST, CURVE_X(NEEDED), AT(kernel_gap.x), NULL, "ns",
	  "durations of a kernel as the recorder reports them" },
	{ "stream.kernel_gap_ns", KEY_LIST, NEEDED | KEY_NEGATIVE, AT(kernel_gap.y),
	  "stream.kernel_gap_duration_ns", "ns",
	  "what to add to such a duration to get the period of the kernel back to back, untraced" },
	{ "stream.period_ns", KEY_LIST, 0, AT(period), NULL, "ns",
	  "period of that kernel back to back, untraced" },

	COPY_CURVE(
		COPY_CURVE_H2D, "copy.h2d", NEEDED,
		"what a copy from pinned host memory adds to its stream, engine switches included"),
	COPY_CURVE(COPY_CURVE_D2H, "copy.d2h", NEEDED, "the same to pinned host memory"),
	COPY_CURVE(COPY_CURVE_PEER, "copy.peer", PEERS, "the same to another GPU"),
	IDLE_CURVES(COPY_CURVE_H2D, "copy.h2d"),
	IDLE_CURVES(COPY_CURVE_D2H, "copy.d2h"),
	IDLE_CURVES(COPY_CURVE_PEER, "copy.peer"),
	ROW_COST(COPY_CURVE_H2D, "copy.h2d"),
	ROW_COST(COPY_CURVE_D2H, "copy.d2h"),
	ROW_COST(COPY_CURVE_PEER, "copy.peer"),
	ROW_COST(COPY_CURVE_H2D_PAGEABLE, "copy.h2d_pageable"),
	ROW_COST(COPY_CURVE_D2H_PAGEABLE, "copy.d2h_pageable"),
	COPY_CURVE(COPY_CURVE_D2D, "copy.d2d", NEEDED, "the same within a GPU"),
	COPY_CURVE(COPY_CURVE_H2D_PAGEABLE, "copy.h2d_pageable", 0,
		   "a whole synchronous copy from pageable host memory"),
	COPY_CURVE(COPY_CURVE_D2H_PAGEABLE, "copy.d2h_pageable", 0,
		   "the same to pageable host memory"),
	COPY_CURVE(COPY_CURVE_H2D_2D, "copy.h2d_2d", 0,
		   "as copy.h2d, rows of 4 KiB with twice that pitch; absent: as copy.h2d"),
	COPY_CURVE(COPY_CURVE_D2H_2D, "copy.d2h_2d", 0,
		   "as copy.d2h, rows of 4 KiB with twice that pitch; absent: as copy.d2h"),

	{ "share.h2d.gpus", KEY_LIST, CURVE_X(PEERS), AT(share_h2d.x), NULL, "count",
	  "GPUs copying from pinned host memory at once" },
	{ "share.h2d.bytes_per_s", KEY_LIST, RATE(PEERS | MOVES | ROOM), AT(share_h2d.y),
	  "share.h2d.gpus", "bytes/s", "sum of their rates" },
	{ "share.d2h.gpus", KEY_LIST, CURVE_X(PEERS), AT(share_d2h.x), NULL, "count",
	  "GPUs copying to pinned host memory at once" },
	{ "share.d2h.bytes_per_s", KEY_LIST, RATE(PEERS | MOVES | ROOM), AT(share_d2h.y),
	  "share.d2h.gpus", "bytes/s", "sum of their rates" },
	{ "share.both.gpus", KEY_LIST, CURVE_X(0), AT(share_both.x), NULL, "count",
	  "GPUs copying both ways at once" },
	{ "share.both.bytes_per_s", KEY_LIST, RATE(0), AT(share_both.y), "share.both.gpus",
	  "bytes/s", "sum of their rates both ways; it moves with those of one way" },

	{ "nvlink.bytes_per_s", KEY_REAL, RATE(PEERS | MOVES), AT(nvlink_bytes_per_s), NULL,
	  "bytes/s", "each GPU, each direction" },

	{ "memory.footprint_bytes", KEY_LIST, CURVE_X(NEEDED), AT(memory.x), NULL, "bytes",
	  "source and target of a copy kernel together" },
	{ "memory.copy_bytes_per_s", KEY_LIST, RATE(NEEDED), AT(memory.y), "memory.footprint_bytes",
	  "bytes/s", "bytes read and written over the period of that kernel back to back" },

#include "platform_keys_sm.def"

	{ "tracer.launch_part", KEY_REAL, KEY_SHARE, AT(launch_part), NULL, "ratio",
	  "of a launch's record, what the launch takes untraced" },
	{ "tracer.event_part", KEY_REAL, KEY_SHARE, AT(event_part), NULL, "ratio",
	  "of the record of an event's record or of a wait for one" },
	{ "tracer.copy_part", KEY_REAL, KEY_SHARE, AT(copy_part), NULL, "ratio",
	  "of a copy's record" },
	{ "tracer.memset_part", KEY_REAL, KEY_SHARE, AT(memset_part), NULL, "ratio",
	  "of a memset's record" },
	{ "tracer.outside_ns", KEY_REAL, 0, AT(outside_ns), NULL, "ns",
	  "what a traced call takes behind its record, whatever the call" },
	{ "tracer.outside_launch_ns", KEY_REAL, 0, AT(outside_launch_ns), NULL, "ns",
	  "and a traced launch before its record" },
	{ "tracer.launch_record_ns", KEY_LIST, 0, AT(launch_record), NULL, "ns",
	  "a launch's record on a core that no other thread uses, and on one that is shared; "
	  "absent: "
	  "nothing is made of cores" },
	{ "tracer.traced_query_ns", KEY_REAL, 0, AT(traced_query_ns), NULL, "ns",
	  "host.query_ns while the recorder watches" },
	{ "tracer.serial_kernel_ns", KEY_REAL, 0, AT(serial_kernel_ns), NULL, "ns",
	  "how much longer a kernel's record is where kernels are recorded one at a time, as on "
	  "virtual GPUs" },
	{ "tracer.switch_ns", KEY_REAL, 0, AT(switch_ns), NULL, "ns",
	  "how much longer a kernel is right after another context's, as on virtual GPUs" },
	{ "tracer.api_query_ns", KEY_REAL, 0, AT(api_query_ns), NULL, "ns",
	  "duration the recorder gives for such a call" },
	{ "tracer.code_load_ns", KEY_REAL, 0, AT(code_load_ns), NULL, "ns",
	  "what the recorder adds to the first launch of a process, which loads its code" },
	{ "tracer.graph_pause_ns", KEY_REAL, 0, AT(graph_pause_ns), NULL, "ns",
	  "how much longer a pause between two nodes of a graph is, one of which is a copy or "
	  "memset, "
	  "while the recorder watches" },
	{ "tracer.graph_turn_ns", KEY_REAL, 0, AT(traced_turn_ns), NULL, "ns",
	  "how much longer it takes until the body of a WHILE node begins once more, while the "
	  "recorder watches" },
	{ "tracer.block_ns", KEY_REAL, 0, AT(block_ns), NULL, "ns",
	  "how much longer a block lives while the recorder times kernels" },
	{ "tracer.recorded_start_latency_ns", KEY_REAL, 0, AT(recorded_start_latency_ns), NULL,
	  "ns", "end of a launch call on an idle stream to the kernel's begin, both as recorded" },
	{ "tracer.recorded_wake_ns", KEY_REAL, 0, AT(recorded_wake_ns), NULL, "ns",
	  "end of such a kernel, as recorded, to the return of the synchronisation that waits for "
	  "it" },
	{ "tracer.stream_note_host_op_ns", KEY_REAL, 0, AT(note_host_op_ns), NULL, "ns",
	  "telling the recorder about a post or an await" },
	{ "tracer.stream_note_footprint_ns", KEY_REAL, 0, AT(note_footprint_ns), NULL, "ns",
	  "telling the recorder about a launch's footprint" },
	{ "tracer.stream_period_ns", KEY_LIST, 0, AT(traced_period), "stream.period_ns", "ns",
	  "stream.period_ns while the recorder watches" },
	{ 0 },
};

bool platform_key_unread(const struct platform_key *key)
{
	return key->offset == NO_MEMBER && key->kind != KEY_TEXT;
}

/* A '#' at the end of a table's name stands for a decimal number. */
bool platform_name_matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);
	if (pattern[length - 1] != '#')
		return !strcmp(pattern, name);
	return !strncmp(pattern, name, length - 1) && name[length - 1] &&
	       strlen(name) < length + 3 &&
	       strspn(name + length - 1, "0123456789") == strlen(name + length - 1);
}

static const char base_prefix[] = "base.";

bool platform_key_is_base(const char *name)
{
	return !strncmp(name, base_prefix, strlen(base_prefix));
}

const struct platform_key *platform_key_find(const char *name)
{
	if (platform_key_is_base(name)) {
		const struct platform_key *key = platform_key_find(name + strlen(base_prefix));
		return key && key->flags & KEY_BASE ? key : NULL;
	}
	for (const struct platform_key *key = platform_keys; key->name; key++)
		if (platform_name_matches(key->name, name))
			return key;
	return NULL;
}
