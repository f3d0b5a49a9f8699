/* SPDX-License-Identifier: MIT
 * Inside schedule_from_trace: what the steps share.
 *
 *   schedule_from_trace.c  the run, its threads, their calls in order
 *   schedule_ops.c         calls -> operations
 *   api_calls.c            API names -> what they ask for
 *   schedule_capture.c     calls that only add to a graph (capture_windows.c)
 *   schedule_joins.c       (process, correlation) -> device rows; streams; kernel names
 *   schedule_begins.c      kernels that begin early or beside others; streams of a thread
 *   schedule_implicit.c    what the legacy default stream waits for, and who for it
 *   schedule_events.c      waits and event syncs -> the record they wait for
 *   schedule_collectives.c kernels of a communication library that meet
 *   schedule_nccl.c        operations of several GPUs on virtual ones
 *   schedule_messages.c    calls of MPI: who waits for whom
 *   schedule_turns.c       threads of a foreign program that wait for each other unseen
 *   schedule_unrecorded.c  work in streams that no row is there of
 *   schedule_graphs.c      which nodes of a graph wait for which
 *   schedule_calls.c       what calls took the host
 *   schedule_nvtx.c        where NVTX ranges begin and end among the operations
 *   schedule_host.c        counters, barriers and marks of the host threads
 */
#ifndef WARPREEL_SCHEDULE_LOAD_H
#define WARPREEL_SCHEDULE_LOAD_H

#include "api_calls.h"
#include "traces/format/annotate.h"
#include "traces/format/trace.h"
#include "traces/base/trace_map.h"
#include "trace_joins.h"

enum { LOAD_MAX_GPUS = 1024 };
#define LOAD_MAX_NS 2000000000000000 /* 23 days: in picoseconds it still adds up */

/* Why an edge or a row could not be placed. */
enum anomaly {
	ANOMALY_ORPHAN_WORK, /* device work that no API call asked for */
	ANOMALY_ORPHAN_CALL, /* a launch or copy call without device work */
	ANOMALY_RECORD,	     /* an event record without its row */
	ANOMALY_WAIT,	     /* a wait for an event never recorded */
	ANOMALY_SYNC,	     /* a sync without its row */
	ANOMALY_AWAIT,	     /* a host await that nobody posts */
	ANOMALY_BARRIER,     /* a host barrier that not all threads meet */
	ANOMALY_COLLECTIVE,  /* an operation of several GPUs that not all ranks called */
	ANOMALY_CALL_TIME,   /* an API call without times */
	ANOMALY_COUNT
};

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_MEMSET };
struct work { /* a device row by the call that asked for it */
	int64_t pid, correlation, start_ns;
	enum work_kind kind;
	uint32_t row;
};

struct took { /* a call, by its first operation */
	int64_t op, ns;
};

struct unrecorded { /* work in a stream that no row is there of, by its call */
	int64_t op, called_ns, ended_ns;
	uint16_t stream;
};

/* schedule_joins.c */
enum { ANY_KERNEL = -1 }; /* no string has this number */
struct trace_joins {
	const struct trace *trace; /* borrowed */
	const char *path;	   /* for messages */
	struct call *call;	   /* by string number */
	bool *captured;		   /* by API row */
	bool *switched;	   /* by kernel row: the device before it ran another context's; NULL: no
			      virtual    GPUs */
	struct work *work; /* sorted by process, correlation, start */
	uint32_t work_count;
	int64_t work_ns; /* sum of all durations */
	struct map work_of, api_of, event_of, sync_of,
		footprint_of; /* (process, correlation) -> first row */
	uint32_t *footprint;  /* rows, equal launches together */
	uint32_t footprint_count;
	struct map stream_alone;   /* (process, stream) -> the one context that has it, or
				      CONTEXT_SEVERAL */
	struct map context_device; /* (process, context) -> GPU */
	struct map stream_named;   /* (process, stream) -> 1: a call that waits or records names it
				    */
	struct map beside;	   /* (context, stream and kernel's name) -> 1, schedule_begins.c */
	struct map pause;	   /* kernel row -> ns since the one before it in its stream */
	struct map overlap;	 /* kernel row -> ns of it beside the one before it in its stream */
	struct map early;	 /* (call's name, kernel's name) -> 1, schedule_begins.c */
	struct map first_launch; /* (process, name string or ANY_KERNEL) -> kernel row */
	struct map context;	 /* (process, context) -> number, of those that work or record */
};

struct collective_part {
	uint32_t row, collective;
};

/* A call of MPI, by its row: what it posts, and what it waits for. */
struct message {
	uint32_t lane;
	int64_t ready_ns; /* the last of those waited for had begun; -1: it waits for nobody */
	size_t first_wait, waits;
};
struct message_wait {
	uint32_t row, lane;
};

enum { EVENT_NONE = UINT32_MAX };
struct item;
struct load {
	struct schedule *schedule;
	const struct trace *trace;
	const struct trace_joins *joins;
	const char *path;	  /* for messages */
	int64_t begin_ns, end_ns; /* of the run; end: the first instant after it */
	int64_t anomaly[ANOMALY_COUNT];

	uint32_t *collective_of; /* by kernel row: its first of collective_part, counted from 1; 0:
				    none; NULL: there are none */
	struct collective_part *collective_part; /* by kernel row */
	size_t collective_parts, collective_part_capacity;
	/* Rows of operations of several GPUs that no kernel stands for (virtual GPUs), by thread
	 * and call; by row, the schedule's collective. */
	uint32_t *collective_row, *collective_met;
	uint32_t *collective_wanted; /* by the schedule's collective: launches */
	uint32_t collective_rows;
	struct map context, stream, stream_id; /* see schedule_joins.c */
	struct map kernel_name;		       /* (demangled, short) strings -> schedule kernel */
	struct map kernel_owner;	       /* schedule kernel -> string that named it */

	uint32_t *event_object; /* by event row: what it records, EVENT_NONE when no operation uses
				   it yet */
	uint32_t *event_group;	/* by event row: rows of one event object share a group */
	uint32_t *wait_event;	/* by sync row: the event row it waits for, EVENT_NONE */
	struct implicit *implicit; /* schedule_implicit.c; NULL: no stream is described */
	bool *group_split;	   /* by group: its records need an object each */
	uint32_t *group_object;

	struct map counter, barrier; /* (run and process, id) -> schedule counter or barrier */
	struct map spins;	     /* schedule counter -> 1: somebody spins on it */
	struct message *message;     /* by message row */
	struct message_wait *message_wait;
	size_t message_waits, message_wait_capacity;
	struct map message_counter; /* lane -> schedule counter */
	int64_t messages_alone;	    /* waits for what nobody recorded */
	struct map turns; /* thread -> schedule counter of its calls that others came after */
	const struct item *item; /* all of the run */
	struct took *took;
	size_t took_count, took_capacity;
	/* Streams of the thread whose operations are added: the last that it used, and the last of
	 * those that no call names; operations before `streams_op` were looked at. */
	int64_t streams_op;
	uint16_t stream_used, stream_own;
	struct unrecorded *unrecorded;
	size_t unrecorded_count, unrecorded_capacity;
	struct nvtx_end *nvtx_end; /* begins and ends of ranges, by thread and time */
	size_t nvtx_ends, nvtx_next;
	int64_t nvtx_ns, nvtx_instant; /* the last instant that a replay has, too */
};

/* schedule_virtual.c: by kernel row, whether the one device ran another context's kernel or memset
 * before; the caller's. NULL: a recording on the GPUs it speaks of. */
bool *load_switched(const struct trace *trace);

/* schedule_virtual.c: what the devices of a recording on virtual GPUs held, for the schedule. */
void load_virtual_memory(struct load *load);

/* schedule_collectives.c: finds the collectives, into collective_of and the schedule. */
void load_collectives(struct load *load);
/* A launch was added that this kernel row came of. */
void load_collective_met(struct load *load, uint32_t row);
void load_collectives_finish(struct load *load);

/* schedule_nccl.c: finds the rows and which of them meet, into load and the schedule; -1 after a
 * message. */
int load_nccl(struct load *load);
/* How many rows from `at` on, of collective_row, are of one call. */
uint32_t load_nccl_call(const struct load *load, uint32_t at);
/* The launches of one call; -1 after a message. */
int load_nccl_launches(struct load *load, uint32_t at, int64_t before_ps);
/* All launches were added: those whose partners are not there wait for nobody. */
void load_nccl_finish(struct load *load);
void load_nccl_release(struct load *load);

/* schedule_implicit.c: finds the waits that CUDA makes by itself. */
void load_implicit(struct load *load);
/* Adds those before a call, by its API row; -1 after a message. */
int load_implicit_waits(struct load *load, uint32_t row);
void load_implicit_release(struct load *load);

/* Joins. */
static inline int64_t to_ps(int64_t ns)
{
	return ns <= 0 ? 0 : ns >= LOAD_MAX_NS ? LOAD_MAX_NS * 1000 : ns * 1000;
}
void load_joins_release(struct load *load);
/* The schedule's stream of a device row; -1 after a message. */
int load_stream(struct load *load, int64_t process, int32_t device, int32_t context, int32_t stream,
		const char *table, size_t row);
/* Looks at what the last thread has done since: stream_used and stream_own; 0xffff: none. */
void load_streams_used(struct load *load);
int64_t load_work_end(const struct load *load, const struct work *work); /* ns; -1: unknown */
int load_work_stream(struct load *load, const struct work *work);
/* schedule_begins.c: looks at how kernels begin, for load_is_early and load_is_beside. */
void load_begins(struct trace_joins *joins);
/* Whether a launch may begin before the kernel before it in its stream is done. */
bool load_is_early(const struct load *load, const struct trace_kernel *kernel);
/* Of such a launch, how long it ran beside that one. */
int64_t load_overlap_ns(const struct load *load, uint32_t row);
/* Since the kernel before it in its stream had ended; 0: it had not, or there was none. */
int64_t load_pause_ns(const struct load *load, uint32_t row);
/* Whether a launch begins beside kernels that fill the GPU. */
bool load_is_beside(const struct load *load, const struct trace_kernel *kernel);
int load_waiting_stream(struct load *load, size_t sync_row); /* of a stream-wait-event row */
uint32_t load_kernel(struct load *load, const struct trace_kernel *kernel);
uint32_t load_shape(struct load *load, const struct trace_kernel *kernel);
uint32_t load_copy(struct load *load, const struct trace_memcpy *copy);
uint32_t load_memset(struct load *load, const struct trace_memset *memset_row);

/* One call or host operation of a thread. */
struct item {
	int64_t tid, start_ns, end_ns;
	bool host_op;
	bool collective; /* row: into load.collective_row */
	bool message;	 /* row: of a message; event_class: enum message_phase */
	int32_t event_class;
	uint32_t row;
	int64_t idle_from_ns; /* its thread's last call ended long before; -1: not so */
	size_t turn_after; /* another thread's call that it came after, counted from 1; 0: none */
	bool turn_ends;	   /* others came after it */
};

/* A thread of the run: its items, and what they are. */
struct lane {
	struct item *item;
	size_t count;
	uint16_t gpu;	  /* that most of its device work is on; 0xffff none */
	bool device_work; /* or edges between streams */
	bool barriers;
};

/* schedule_messages.c: finds who waits for whom; -1 after a message. */
int load_messages(struct load *load);
/* The items of a message row, at most two; how many. */
size_t load_message_items(const struct load *load, size_t at, struct item *item);
/* Moves waits out of calls of CUDA; on `item`, sorted by thread and time: whether they must be
 * sorted again. */
bool load_messages_outside(struct item *item, size_t count);
void load_message(struct load *load, const struct item *item, int64_t before_ps);
void load_messages_release(struct load *load);

/* Which calls came after another thread's; on `item`, sorted by thread and time. Only for a program
 * that is none of our solvers. */
void load_turns(struct load *load, struct item *item, size_t count);
void load_turn_begin(struct load *load,
		     const struct item *item); /* before the operations of a call */
void load_turn_end(struct load *load, const struct item *item); /* and behind them */

/* Adds the operations of a lane to the schedule's last thread; -1 after a message. */
int load_lane(struct load *load, const struct lane *lane);

/* A call of so many ns asked for the operations from `op` on; all have been told. */
void load_call_took(struct load *load, int64_t op, int64_t ns);
void load_calls_finish(struct load *load);

/*
 * schedule_graphs.c: what passes between the rows [at, at + count) of one call, in the order of
 * their begins, and which wait for which. In this order: load_graph, for the call; _begin; for each
 * row _node, its operation, _node_end; _end, which frees it. -1 after a message; a call of
 * one row has no graph (NULL).
 */
struct graph;
int load_graph(struct load *load, uint32_t at, uint32_t count, struct graph **graph);
void load_graph_begin(struct load *load, const struct graph *graph);
void load_graph_node(struct load *load, const struct graph *graph, uint32_t row);
void load_graph_node_end(struct load *load, const struct graph *graph, uint32_t row);
void load_graph_end(struct load *load, struct graph *graph);
/* Of the device, before the row: since the last of those that it waited for. */
int64_t load_graph_pause_ps(const struct graph *graph, uint32_t row);

/* Of a graph that begins with a copy: from its call to that, where the host copies from pageable
 * memory before it hands the graph over; else 0. */
int64_t load_handed_over_ps(const struct load *load, const struct schedule_op *op, uint32_t row,
			    int64_t called_ns);

/* Whether the body of a WHILE node begins once more with it. */
bool load_graph_turns(const struct graph *graph, uint32_t row);

/* schedule_cores.c: what the recorder found of the host's cores. */
void load_cores(struct load *load);

/* schedule_unrecorded.c: the call puts work into the stream that its thread used last; how long
 * that took is found out when all calls have been told. */
void load_unrecorded(struct load *load, const struct item *item);
void load_unrecorded_finish(struct load *load);

/* Events. */
void load_events(struct load *load);
void load_events_release(struct load *load);
uint32_t load_event_object(struct load *load, uint32_t event_row);

/*
 * NVTX ranges of the run. load_nvtx lists them; then for each thread _thread, and with every
 * instant of it that a replay has, too, in order, _until: what lies before has its place between
 * this one and the one before. _rest places what comes after the last.
 */
void load_nvtx(struct load *load, int run);
void load_nvtx_thread(struct load *load, int64_t global_tid);
void load_nvtx_until(struct load *load, int64_t at_ns, int64_t instant);
void load_nvtx_rest(struct load *load);
void load_nvtx_release(struct load *load);

/* Host operations. */
/* Time of a thread that a run on as many GPUs would not have had (virtual GPUs). */
static inline bool load_is_hidden(const struct load *load, const struct item *item)
{
	return item->host_op && load->trace->host_op[item->row].kind == NOTE_HIDDEN;
}
void load_host_op(struct load *load, const struct trace_host_op *op, struct map *met,
		  int64_t before_ps);
void load_host_finish(struct load *load);
void load_host_release(struct load *load);

#endif
