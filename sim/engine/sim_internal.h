/* SPDX-License-Identifier: MIT
 * The simulator's own state, shared by simulation.c, host_thread.c and stream.c.
 */
#ifndef WARPREEL_SIM_INTERNAL_H
#define WARPREEL_SIM_INTERNAL_H

#include "copy_channels.h"
#include "links.h"
#include "sim/copies/copy_model.h"
#include "sim/host/host_cost.h"
#include "sim/host/host_model.h"
#include "simulation.h"

enum { NONE32 = 0xffffffffu };

/* What a host call put into a stream. */
struct command {
	sim_time submit_ps;  /* the call's return */
	sim_time called_ps;  /* its begin */
	sim_time blocked_ps; /* how long the issuing thread had been blocked in all, when it issued
				this */
	int64_t op;	     /* index into schedule.op */
	uint32_t instance;   /* record / wait: which record of the event; NONE32 = never recorded */
	bool before_copy;    /* wait: a copy comes next in the stream */
};

enum stream_state {
	STREAM_IDLE,
	STREAM_PENDING /* an event will wake it */,
	STREAM_RUNNING,
	STREAM_WAITING /* for an event */,
	STREAM_QUEUED /* for SMs or an engine */
};

struct sim_stream {
	struct command *ring; /* capacity is a power of two; owned */
	uint32_t head, count, capacity;
	uint32_t stamp;
	uint16_t gpu;
	uint8_t state;
	uint8_t engine;	   /* while a copy runs */
	sim_time free_ps;  /* end of the last command */
	sim_time start_ps; /* of the running command */
	sim_time gap_ps;   /* owed before the next kernel may start: the last kernel's own, and
			      switching back after a copy */
	sim_time kernel_gap_ps, kernel_ps; /* of the last kernel */
	bool last_was_copy;
	sim_time awake_ps;  /* when its last copy, or wait for another GPU's event, ended */
	sim_time notice_ps; /* while a wait's event is complete but not yet noticed: when it will
			       be; else 0 */
	sim_time done_ps;   /* when that event was complete */
	sim_time blocked_seen_ps;
	/* While a launch is part of collectives: how many have not begun, and when those that have
	 * end. */
	uint32_t collectives_left;
	bool works;
	sim_time collectives_end_ps;
	double share;	       /* of the GPU's SMs, while a kernel runs */
	uint32_t sync_thread;  /* first host thread blocked on this stream */
	uint32_t space_thread; /* first host thread blocked because the queue is full */
	uint32_t next_waiter;  /* in an event instance's or engine's list */
};

struct sim_thread {
	int64_t pc, end; /* into schedule.op */
	sim_time now_ps;
	sim_time before_ps;  /* when it blocked; -1 while it runs */
	sim_time blocked_ps; /* total */
	sim_time mark_ps[MARK_COUNT];
	uint32_t next_waiter; /* list of threads blocked on one thing */
	uint32_t stamp;
	bool done;
	bool thought; /* the time before the operation at pc has passed */
};

struct sim_instance {	  /* one record of an event */
	sim_time done_ps; /* SIM_NEVER until it happened */
	uint16_t gpu;
	bool after_copy;       /* recorded right behind a copy: the copy engine's channel signals */
	uint32_t first_stream; /* streams waiting */
	uint32_t first_thread; /* threads waiting (cudaEventSynchronize) */
};

struct sim_counter {
	int64_t value;
	uint32_t first_thread;
};
struct sim_barrier {
	uint32_t arrived;
	uint32_t first_thread;
};

struct sim_collective {
	sim_time work_ps;
	uint32_t arrived;
	uint32_t first_waiting; /* of launches that wait for the others */
};

enum { ENGINE_H2D, ENGINE_D2H, ENGINE_PEER, ENGINE_LOCAL, ENGINES };

struct sim_gpu {
	double sm_used; /* share of the SMs in use, 0..1 */
	int kernels;
	uint32_t waiting_kernels_head, waiting_kernels_tail; /* streams, FIFO */
	uint32_t engine_user[ENGINES];
	uint32_t engine_head[ENGINES], engine_tail[ENGINES];
	/* accounting within the core loop */
	int copies;
	sim_time accounted_ps; /* up to here */
	sim_time closed_ps;    /* when its host thread left the core loop; SIM_NEVER before */
	struct breakdown sum;
	sim_time rung_ps;  /* when the host last put a kernel or a copy into one of its streams */
	uint32_t noticing; /* streams with notice_ps */
	uint32_t sync_threads; /* threads in cudaDeviceSynchronize: first of a list */
};

struct sim {
	const struct schedule *schedule;
	const struct platform *platform;
	struct kernel_model *model;
	const struct observer *observer;
	struct event_queue queue;
	struct links links;
	struct copy_channels channels;
	struct sim_stream *stream;
	struct sim_thread *thread;
	struct sim_gpu *gpu;
	struct sim_counter *counter;
	struct sim_barrier *barrier;
	struct sim_collective *collective;
	uint32_t *participant_next; /* by participant of the schedule: list of those that wait */
	struct sim_instance *instance;
	uint32_t instance_count;
	uint32_t *latest;   /* [event_count]: latest instance recorded, as seen by the host */
	sim_time *shape_ps; /* [shape_count]: kernel duration; -1 not yet */
	sim_time *shape_gap_ps;
	double *shape_share; /* of a GPU's SMs */
	double *shape_busy;  /* part of a GPU that it keeps busy; 0: not yet, or nobody asks */
	/* A kernel may begin where there is room for its first block, as the device's scheduler has
	 * it, and not only where there is room for all: what it takes was recorded among others, or
	 * is stretched by them. */
	bool any_room;
	bool kernels_meet;	  /* on a GPU, and the kernel model says what each keeps busy */
	uint32_t *kernel_streams; /* where they do: of each kernel, on one GPU */
	bool shares_memory; /* kernels and copies slow each other down where they ask too much of a
			       GPU's memory */
	const struct host_model_ops *host;
	struct host_model *host_model; /* owned */
	const struct copy_model_ops *copies;
	struct copy_model *copy_model; /* owned */
	/* What these answer every time. */
	sim_time
		seen_ps; /* from the end of something on a device to the host's memory showing it */
	sim_time wake_ps, delay_ps[DELAY_COUNT];
	sim_time recorded_wake_ps; /* behind what ends when the recorder said */
	bool graphs_priced;	   /* by what calibration says of graphs */
	bool graph_pauses;	   /* within a graph pauses are as recorded */
	uint32_t queue_depth;
	sim_time core_begin_ps;		 /* last thread ready; SIM_NEVER before */
	sim_time graph_pause_ps;	 /* the same within a graph, next to a copy or memset */
	sim_time tracer_turn_ps;	 /* and before each turn of a WHILE node */
	sim_time tracer_pause_ps;	 /* what the recorder adds to a pause between kernels */
	uint32_t core_threads;		 /* threads that mark where their core loop begins */
	uint32_t core_begun, core_ended; /* of those, how many passed the mark */
	uint32_t threads_left;
	int64_t waits_never_recorded;
	int error;
};

/* host_thread.c */
void thread_run(struct sim *s, uint32_t thread,
		sim_time now); /* until it blocks, ends or must let others go first */
void thread_wake(struct sim *s, uint32_t thread, sim_time at);
void thread_wake_list(struct sim *s, uint32_t *first, sim_time at); /* all of a list; empties it */
void thread_wake_event(struct sim *s, uint32_t *first,
		       sim_time done); /* likewise: those of an event */

/* stream.c */
void stream_push(struct sim *s, uint32_t stream, const struct command *command);
void stream_event(struct sim *s, uint32_t stream, sim_time now,
		  uint32_t stamp); /* its time has come */
void stream_flow_end(struct sim *s, uint32_t stream, sim_time now);
static inline bool stream_empty(const struct sim_stream *stream)
{
	return stream->count == 0;
}
static inline struct command *stream_head(const struct sim_stream *stream)
{
	return &stream->ring[stream->head & (stream->capacity - 1)];
}
bool gpu_empty(const struct sim *s, uint16_t gpu);

/* Streams that wait their turn, linked by next_waiter. */
static inline void fifo_push(struct sim *s, uint32_t *head, uint32_t *tail, uint32_t stream)
{
	s->stream[stream].next_waiter = NONE32;
	if (*head == NONE32)
		*head = stream;
	else
		s->stream[*tail].next_waiter = stream;
	*tail = stream;
}

static inline uint32_t fifo_pop(struct sim *s, uint32_t *head)
{
	uint32_t stream = *head;
	if (stream != NONE32)
		*head = s->stream[stream].next_waiter;
	return stream;
}

/* copy_engine.c: the stream's head is a copy: it begins, or queues for its engine. */
void copy_begin(struct sim *s, uint32_t stream, sim_time now);
/* It is done: which stream's copy has the engine next; NONE32: nobody's yet, or that stream's,
 * which goes on by itself. */
uint32_t copy_end(struct sim *s, uint32_t stream, sim_time now);
/* A command was put into the stream. */
void copy_called(struct sim *s, uint32_t stream, const struct command *command);
/* The first node of a graph, where graphs have prices of their own. */
static inline bool begins_graph(const struct sim *s, const struct schedule_op *op)
{
	return s->graphs_priced && !(op->flags & OP_IN_GRAPH) &&
	       schedule_call_of(s->schedule, op) == CALL_OF_GRAPH;
}
/* A copy or memset that is a node of a graph: no thread and no queue is in its way. */
static inline bool copy_plays_as_recorded(const struct sim *s, const struct schedule_op *op)
{
	return (op->kind == OP_COPY || op->kind == OP_MEMSET) &&
	       ((s->graph_pauses && op->flags & OP_IN_GRAPH) || begins_graph(s, op));
}

/* A dependence between two nodes of a recorded graph: what passes between them is in the pause of
 * the second. */
static inline bool within_graph(const struct schedule_op *op)
{
	return op->flags & OP_IN_GRAPH && op->flags & OP_INFERRED;
}

/* A stream's head begins: a launch, a wait for an event; the latter ends. */
void kernel_begin(struct sim *s, uint32_t stream, sim_time now);
void wait_begin(struct sim *s, uint32_t stream, sim_time now);
void wait_end(struct sim *s, uint32_t stream, sim_time now);
/* An event has been recorded at `at`: streams and threads that wait for it go on. */
void event_recorded(struct sim *s, uint32_t instance, sim_time at);
/* A kernel or a copy was put into a stream of that GPU. */
void doorbell_heard(struct sim *s, uint16_t gpu, sim_time now);
static inline void doorbell(struct sim *s, uint16_t gpu, sim_time now)
{
	s->gpu[gpu].rung_ps = now;
	if (s->gpu[gpu].noticing)
		doorbell_heard(s, gpu, now);
}
/* The stream's head is due at that time. */
void stream_arm(struct sim *s, uint32_t stream, sim_time at, enum stream_state state);

/* collective_run.c: the stream's head, part of a collective, begins; it ends with the others. */
void collectives_init(struct sim *s);
void collective_begin(struct sim *s, uint32_t stream, int64_t op, sim_time now);
sim_time collective_work(const struct sim *s, int64_t op);
int collective_report(const struct sim *s); /* one that nobody comes to any more: -1; else 0 */

/* Adds the time since the last call to the right parts of a GPU's breakdown. */
void gpu_account(struct sim *s, uint16_t gpu, sim_time now, bool waiting);

#endif
