/* SPDX-License-Identifier: MIT
 * The schedule: what one run asks of the machine. For every host thread its operations in order,
 * each naming stream, GPU, sizes and kernel. A recorded trace loads into a schedule with times, a
 * plan is a schedule without times; the simulator knows no other input.
 *
 * Times are integer picoseconds. "Unknown" is -1, never 0.
 */
#ifndef WARPREEL_SCHEDULE_H
#define WARPREEL_SCHEDULE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

enum op_kind {
	OP_LAUNCH, /* object = shape; stream */
	OP_COPY,   /* object = copy; stream */
	OP_MEMSET, /* object = copy (kind COPY_MEMSET); stream */
	OP_RECORD, /* object = event; stream */
	OP_WAIT,   /* object = event; stream: the stream waits for the event's latest record before
		      this op in issue order */
	OP_UNSEEN, /* stream: work that no row is there of (a function of the host, managed
		      memory that is fetched), for duration_ps; the call is an OP_HOST before it */
	OP_SYNC,   /* stream: the host thread blocks until the stream is empty */
	OP_SYNC_EVENT, /* object = event: the host thread blocks until the event's latest record
			  completed; with OP_SPIN it asks again and again, duration_ps a time */
	OP_SYNC_GPU, /* object = gpu: the host thread blocks until all streams of the GPU are empty
		      */
	OP_POST,     /* object = counter; value: raise the counter to value */
	OP_AWAIT,    /* object = counter; value: block (flags: OP_SPIN) until counter >= value */
	OP_BARRIER,  /* object = barrier id: all threads of the schedule meet, once */
	OP_HOST,     /* host work of duration_ps; or an API call the simulator has no model for.
			object = enum host_work, 0 in recorded schedules */
	OP_MARK,     /* object = enum mark; takes no time */
	OP_KIND_COUNT
};
enum {
	OP_SPIN = 1,
	OP_BLOCKING = 2 /* copy returns only when done (cudaMemcpy) */,
	OP_FIRST = 4 /* first launch of its kernel in the process */,
	OP_INFERRED = 8 /* post, await (schedule_turns.c), record, wait (schedule_graphs.c): no call
			   of the program's, and none is paid for */
	,
	OP_IN_GRAPH =
		16 /* launch, copy, memset, record, wait: not the first of its call's (a graph's) */
	,
	OP_SWITCHED = 64 /* launch: on virtual GPUs, its GPU's first after another one's */,
	OP_COLLECTIVE = 128 /* launch: part of a collective (schedule.participant says of which) */,
	OP_OTHER_GPU = 32 /* wait: for an event of another GPU's stream */,
	OP_EARLY = 32 /* launch: may begin before all of the kernel before it is done
			 (programmatic dependent launch), so nothing passes between them */
	,
	OP_TURN = 1 /* launch in a graph: the body of a WHILE node begins once more */,
	OP_GRAPH = 1 /* launch, copy, memset, without OP_IN_GRAPH: the first node of a graph */,
	OP_MESSAGE = 32 /* post, await (with OP_INFERRED): of a call of MPI; what a message takes
			   is in the time behind it */
	,
	OP_BY_HOST = 32 /* copy: one between GPUs, whose call copies by way of the host; the next
			   one, with OP_IN_GRAPH, is its other half */
	,
	OP_TIMED = 32 /* record: of an event that keeps the time (plans) */,
	OP_BESIDE = 2 /* launch: begins beside kernels that fill the GPU (a stream of higher
			 priority), as it was seen to */
};
/* What a plan says of host work whose time it cannot know. */
enum host_work {
	HOST_WORK_GIVEN,
	HOST_WORK_TEXTURE, /* an object made, and given back later */
	HOST_WORK_LIBRARY, /* a library's call, beside the launch it makes */
};
/* Sorts of calls that cost the host differently. */
enum schedule_call {
	CALL_OF_NONE, /* no call, or one whose time depends on the device */
	CALL_OF_LAUNCH,
	CALL_OF_EARLY,	 /* a launch with OP_EARLY */
	CALL_OF_GRAPH,	 /* of a graph, or of several kernels */
	CALL_OF_BY_HOST, /* a copy with OP_BY_HOST */
	CALL_OF_MEMSET,
	CALL_OF_RECORD,
	CALL_OF_WAIT_OWN, /* for an event of the same GPU */
	CALL_OF_WAIT_OTHER,
	CALL_OF_COPY, /* and COPY_H2D and the other kinds behind it */
	CALL_OF_COUNT = CALL_OF_COPY + 6
};
enum mark { MARK_TOTAL_BEGIN, MARK_CORE_BEGIN, MARK_CORE_END, MARK_TOTAL_END, MARK_COUNT };

struct schedule_op {  /* 32 bytes: the engine walks these */
	uint8_t kind; /* enum op_kind */
	uint8_t flags;
	uint16_t stream; /* index into schedule.stream; 0xffff = none */
	uint32_t object;
	int64_t value; /* post/await value; launch, copy, memset with OP_IN_GRAPH: recorded pause of
			  the device before it, in ps; copy with OP_GRAPH: from its call to it, if
			  the host had to copy first, else 0; other launches: the pause since the
			  kernel before it in its stream, where it bounds what passes between two;
			  0: no */
	int64_t before_ps;   /* host time spent before this call (think time), >= 0 */
	int64_t duration_ps; /* launch/copy: recorded device duration, tracer not removed; OP_HOST:
				host duration; -1 unknown */
};

enum copy_kind { COPY_H2D, COPY_D2H, COPY_D2D, COPY_PEER, COPY_H2H, COPY_MEMSET, COPY_KIND_COUNT };

struct schedule_copy {			 /* deduplicated: equal copies share one entry */
	uint8_t kind;			 /* enum copy_kind */
	uint8_t pageable;		 /* host side is pageable memory */
	uint16_t source_gpu, target_gpu; /* 0xffff = host */
	int64_t bytes;			 /* total payload */
	int64_t rows;			 /* > 1: a 2D copy of rows x (bytes / rows) */
};

/* Operations of several GPUs, as NCCL's are called. */
enum collective_kind {
	COLLECTIVE_SEND,
	COLLECTIVE_RECEIVE,
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_BROADCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_KIND_COUNT
};

/* ACCESS_BACKWARD: the launch goes through the range from its end to its begin; else, as blocks are
 * handed out, from begin to end. */
enum access_mode { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_BACKWARD = 4 };
struct schedule_access { /* data footprint of a launch */
	uint32_t buffer, mode;
	int64_t offset_bytes, bytes;
};

/*
 * What a launch asks of the device. `path` names the code its warps take, where that depends on the
 * arguments (a template's parameter, a stride). `steps` says how often the loop of a warp runs
 * whose length the arguments or the block set: rows a thread, halvings of a tree; 0 = there is no
 * such loop. Launches of equal kernel, block, path and steps run the same instructions a warp, and
 * other blocks and steps follow from those (profile_derive.h). -1 = not known.
 */
struct launch_geometry {
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* dynamic */
	int32_t path, steps;
};

/* A launch shape: equal launches share one entry, so that its cost is computed once. */
struct schedule_shape {
	uint32_t kernel;	 /* index into schedule.kernel */
	int64_t rows, columns;	 /* updated region for a grid kernel; 0 = not a grid kernel */
	int64_t points;		 /* elements updated */
	int64_t dram_bytes;	 /* bytes that must move if nothing is cached; 0 = unknown */
	int64_t footprint_bytes; /* distinct bytes touched */
	int64_t resident_bytes;	 /* working set that returns between launches (the GPU's sweep);
				    decides L2 residency */
	uint32_t grid[3], block[3], shared_bytes, registers; /* 0 = unknown */
	int32_t path, steps; /* struct launch_geometry; -1 = unknown */
	uint8_t meets; /* of a plan: all its launches meet others, which says what they take */
	uint32_t first_access, access_count; /* into schedule.access */
};

struct schedule_stream {
	uint16_t gpu;
	int64_t id; /* as recorded; plan: serial */
};

/*
 * A collective: launches of a communication library (NCCL), one on each of several GPUs, that end
 * together once all have begun. What those that came first wait is not work.
 */
struct schedule_collective {
	uint32_t kernel; /* index into schedule.kernel */
	uint32_t participants;
	uint32_t blocks; /* of a launch: the library takes more for more bytes */
	int64_t work_ps; /* from the last one's begin to the end of all; -1: of a plan, unknown */
	/* Where what was asked for is known, not how long it took (virtual GPUs): steps one after
	 * the other, 0 = of one rank alone, and the most bytes that any of its launches puts on its
	 * GPU's link one way. steps -1: not known. Of a send: which of its launch to that rank. */
	int32_t steps;
	uint8_t of_two; /* a send and its receive */
	int64_t link_bytes;
};
/* A launch with OP_COLLECTIVE, and its collective; one that is several (a group's) has several. */
struct schedule_participant {
	int64_t op;
	uint32_t collective;
};

struct schedule_thread {
	char *name;		    /* owned */
	int64_t process;	    /* as recorded; 0: of a plan */
	uint16_t gpu;		    /* the GPU it mostly drives; 0xffff none */
	int64_t first_op, op_count; /* into schedule.op: a thread's operations are contiguous */
	/* Operations of the threads before that were left out (schedule_repeat.h): with it, an
	 * operation has the number that it has in the whole run. */
	int64_t left_out;
};

/* Stretches before an operation that were hidden: what a program on virtual GPUs would not have
 * done on real ones is not in before_ps, but what noting it took is. */
struct schedule_hidden {
	int64_t op;
	uint32_t stretches;
};

/* Calls without operations that only query (trace_api.queries), in the time before an operation. */
struct schedule_queries {
	int64_t op;
	int64_t ns;
};

/*
 * An instant of the recorded run, between two that every replay has: the begin (2 k) or the end
 * (2 k + 1) of operation k. Where the thread did nothing before, `after` is -1, the begin of the
 * run; outside of its calls the instant is `rest_ps` from `after`, and `share` is 0.
 */
struct schedule_instant {
	int64_t after, before;
	double share; /* of the way from one to the other */
	int64_t rest_ps;
};
/* A range of the program's own (NVTX) on a thread, or a mark: one whose end is its begin. */
struct schedule_nvtx {
	char *name;	     /* owned */
	int64_t occurrence;  /* of its name in the file, in order of begins, from 0; -1: a mark */
	int64_t global_tid;  /* as recorded */
	uint32_t thread;     /* UINT32_MAX: one that has no operations, so no replay knows when */
	int64_t recorded_ps; /* its length, tracer and all */
	struct schedule_instant begin, end;
};

struct schedule_first {
	int64_t op, took_ns; /* the call's record */
};

struct core_looks {
	int64_t *additions; /* owned */
	size_t count, capacity;
};

struct schedule {
	struct schedule_op *op;
	int64_t op_count;
	struct schedule_queries *queries;
	size_t queries_count; /* ascending op; recorded ones only */
	struct schedule_hidden *hidden;
	size_t hidden_count;	      /* ascending op; recordings on virtual GPUs only */
	struct schedule_first *first; /* first launches of kernels */
	size_t first_count;
	int64_t *loading; /* the first launch of each process */
	size_t loading_count;
	struct schedule_thread *thread;
	uint32_t thread_count;
	struct schedule_stream *stream;
	uint32_t stream_count;
	struct schedule_shape *shape;
	uint32_t shape_count;
	struct schedule_copy *copy;
	uint32_t copy_count;
	struct schedule_access *access;
	uint32_t access_count;
	struct schedule_collective *collective;
	uint32_t collective_count;
	struct schedule_participant *participant; /* ascending op */
	size_t participant_count;
	int64_t without_partners; /* launches of a communication library without partners in the
				     trace */
	int64_t messages_alone;	  /* waits of MPI's for what nobody recorded */
	uint32_t processes;	  /* that were recorded; 0: of a plan */
	/* Most threads in one process, whose calls contend in its driver; 0: all of them. */
	uint32_t contending;
	char **kernel;
	uint32_t kernel_count; /* names, owned */
	uint32_t event_count, counter_count, barrier_count, gpu_count;
	char *solver, *config; /* owned; NULL = foreign program */
	char *range; /* owned; NVTX ranges that were asked for as the core loop; NULL = none */
	int64_t ranges, range_threads; /* how many there are, and on how many threads */
	/* Of a plan: what its configuration asks for, and between two exchanges; 0 = unknown. */
	int64_t iterations, cycle;
	/* How many of a thread's calls are drawn each by itself; those after them are drawn evenly
	 * (sim/host/host_measured.c). 0: all by themselves. */
	int64_t drawn_alone;
	int64_t device_bytes; /* memory the GPU that needs most of it needs; 0 = unknown (recorded
				 runs) */
	/* By enum schedule_call: the recorded call's median time; what one is to cost instead of
	 * what the platform says (schedule_untrace). 0: not known. */
	int64_t call_recorded_ns[CALL_OF_COUNT], call_ps[CALL_OF_COUNT];
	/* Of virtual GPUs, where calls come after waits for the turn: how many times as long as
	 * call_recorded_ns an operation's call took. NULL: not known. */
	float *slower; /* owned; op_count of them */
	/* What looks at cores found while it was recorded (core_share.h): at all of the host's, and
	 * at those of threads that called CUDA, by themselves; and, of what is priced by it, how
	 * much was done on shared cores then and is answered for such (schedule_untrace), 0 to 1,
	 * below 0 not known. */
	struct core_looks host_looks, own_looks;
	double recorded_shared, answered_shared;
	/* Of virtual GPUs: what each held while they took turns (NULL: not known), and the L2 of
	 * the one they were recorded on (-1: not known). */
	int64_t *virtual_bytes; /* owned; virtual_gpus of them */
	int64_t virtual_l2_bytes;
	/* What was taken off recorded kernels (schedule_untrace) for what others had left of L2. */
	int64_t shared_l2_ps, shared_l2_kernels;
	uint32_t virtual_gpus;	/* recorded on one GPU as if there were so many; 0: it was not */
	char *device;		/* owned; the GPU it was recorded on; NULL: not recorded */
	const char *unmeasured; /* of a plan, static: what has a price that nobody has measured;
				   NULL: nothing */
	struct schedule_nvtx *nvtx; /* in order of begins; recorded ones only */
	size_t nvtx_count;
	int64_t anomaly_count; /* edges that could not be resolved while loading; details were
				  reported */
	size_t op_capacity, thread_capacity, stream_capacity, shape_capacity, copy_capacity,
		access_capacity, kernel_capacity, queries_capacity, nvtx_capacity, hidden_capacity,
		first_capacity, loading_capacity, collective_capacity, participant_capacity;
	struct schedule_index *index; /* private: finds equal entries while building */
};

void schedule_init(struct schedule *schedule);
void schedule_release(struct schedule *schedule); /* frees the contents, not the struct */

/* Building, one thread after the other. All return the index of the new or the equal existing
 * entry. */
uint32_t schedule_add_thread(struct schedule *schedule, const char *name,
			     uint16_t gpu); /* ops added next are this thread's */
uint16_t schedule_add_stream(struct schedule *schedule, uint16_t gpu, int64_t id);
uint32_t schedule_add_kernel(struct schedule *schedule, const char *name);
uint32_t schedule_add_shape(struct schedule *schedule, const struct schedule_shape *shape,
			    const struct schedule_access *access, uint32_t access_count);
uint32_t schedule_add_copy(struct schedule *schedule, const struct schedule_copy *copy);
struct schedule_op *schedule_add_op(struct schedule *schedule, enum op_kind kind, uint16_t stream,
				    uint32_t object);

/* The first node of a graph. */
bool schedule_begins_graph(const struct schedule_op *op);
enum schedule_call schedule_call_of(const struct schedule *schedule, const struct schedule_op *op);

/* Operations counted as work: launch, copy, memset, record, wait, sync, post, await (not marks,
 * barriers or host work). */
int64_t schedule_operations(const struct schedule *schedule);

/* Whether some GPU has kernels of two streams or more, which may run at once. */
bool schedule_kernels_meet(const struct schedule *schedule);

/* By kernel: the most streams of a GPU that launch it. Owned by the caller. */
uint32_t *schedule_streams_of_kernels(const struct schedule *schedule);

/* How many threads' calls contend in one driver. */
uint32_t schedule_contending(const struct schedule *schedule);
/* On how many GPUs kernels of several processes ran. */
uint32_t schedule_shared_gpus(const struct schedule *schedule);
/* The first of the entries of a launch with OP_COLLECTIVE, by its number among the operations;
 * schedule_validate has made sure that there is one. Those behind it of the same `op` are its, too.
 */
size_t schedule_participant_of(const struct schedule *schedule, int64_t op);

/* Checks every index and order rule; -1 after a message naming `file`, thread and operation. */
int schedule_validate(const struct schedule *schedule, const char *file);

#endif
