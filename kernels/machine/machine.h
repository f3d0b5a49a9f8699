/* SPDX-License-Identifier: MIT
 * struct machine: the handful of operations a solver's host code is written against, once.
 *
 * Three machines implement it: `cuda` runs the calls on GPUs (its code sits in libwarpreel-cuda.so,
 * loaded when asked for), `cpu` runs them with host threads, `plan` writes them down as a schedule.
 * A solver driver therefore never names CUDA.
 *
 * Rules: one host thread per GPU; thread t drives GPU t, unless a run has one thread, which says
 * which GPU it drives. Threads beyond the GPUs are helpers, which say it, too. A stream, event or
 * counter is created before the threads start. Every call returns 0, or -1 after a message; a
 * driver stops at the first -1 (machine_run then wakes the other threads).
 */
#ifndef WARPREEL_MACHINE_H
#define WARPREEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "traces/schedule/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

struct machine;
struct machine_thread;

enum machine_space { SPACE_DEVICE, SPACE_PINNED, SPACE_PAGEABLE };

enum { MACHINE_MAX_ACCESS = 8, MACHINE_MAX_ARGS = 160 };

/* One kernel launch. `name` selects the implementation: the cpu machine uses `cpu`, the cuda
 * machine looks the name up. */
struct machine_launch {
	const char *name;	       /* e.g. "rbsor_tuned_f32"; static storage */
	void (*cpu)(const void *args); /* CPU implementation of the same kernel; never NULL */
	const void *args;	       /* plain struct, copied before the call returns; may hold
					  machine_address() pointers */
	size_t args_bytes;	       /* <= MACHINE_MAX_ARGS */
	/* Grid, block and path from the same arguments; the CUDA launcher calls it too, so that a
	 * plan knows them. NULL: not known. */
	void (*geometry)(const void *args, struct launch_geometry *geometry);
	int64_t rows, columns, points; /* updated region */
	int64_t dram_bytes;	       /* bytes that must move if nothing is cached */
	int64_t resident_bytes;	       /* working set that comes round again between launches */
	uint32_t access_count;
	struct schedule_access access[MACHINE_MAX_ACCESS];
	uint32_t textures; /* objects that the CUDA launcher makes for it */
	uint32_t products; /* that it asks of cuBLAS */
};

/* One copy of `rows` rows of `row_bytes` bytes; rows = 1 is a plain copy. Pitches are ignored when
 * rows = 1. */
struct machine_copy {
	uint32_t source, target; /* buffers */
	int64_t source_offset_bytes, target_offset_bytes;
	int64_t row_bytes, rows, source_pitch_bytes, target_pitch_bytes;
};

/*
 * Work that is asked for several times over, the same each time. What the body puts on other
 * streams must wait for an event of `stream`, and `stream` for events of theirs at the end. A
 * machine may keep what it made of it until reset: `key`, with the same body and times, names the
 * same work.
 */
struct machine_repeat {
	uint32_t stream;
	int times;
	int (*body)(struct machine_thread *t, void *arg);
	void *arg;
	const void *key;
};

/*
 * Bytes from this GPU to `peer` and as many back. Every send meets the receive that the peer asks
 * for: the k-th message of a GPU with a peer is the peer's k-th with it. `there` is the peer's
 * receive buffer.
 */
struct machine_message {
	uint32_t peer; /* GPU */
	int64_t bytes;
	uint32_t send, receive, there; /* device buffers */
	int64_t send_offset_bytes, receive_offset_bytes, there_offset_bytes;
};
/* How messages travel: sends that meet receives, or puts into the peer's memory with a signal. */
enum machine_channel { CHANNEL_SEND_RECEIVE, CHANNEL_PUT };

enum await_policy { AWAIT_SPIN, AWAIT_BLOCK /* mutex and condition variable, as the thesis */ };

/* Handed to each host thread. Everything a thread may do goes through it. */
struct machine_thread {
	struct machine *machine;
	uint32_t index;		     /* of the run's threads */
	uint32_t gpu;		     /* = index, until `drive` */
	void *state;		     /* the machine's own */
	int64_t mark_ns[MARK_COUNT]; /* host clock at each mark; -1 = not passed. Filled by running
					machines */
};

struct machine_ops {
	const char *name; /* "cuda", "cpu", "plan": to be printed, never to be compared */
	bool computes;	  /* buffers have memory, launches and copies change it; else address() is
			     NULL and times are not taken */
	bool warms_up;	  /* short runs before the timed ones make those steadier */
	bool on_device;	  /* launches are of GPU kernels: a launch without one has no place here */
	int (*gpu_count)(struct machine *m, uint32_t *count);
	/* Buffers live until the machine is freed or buffer_free. Device buffers belong to `gpu`;
	 * ids are dense from 0. */
	int (*buffer)(struct machine *m, uint32_t gpu, enum machine_space space, int64_t bytes,
		      uint32_t *buffer);
	void (*buffer_free)(struct machine *m, uint32_t buffer);
	void *(*address)(struct machine *m, uint32_t buffer); /* NULL on the plan machine */
	int (*stream)(struct machine *m, uint32_t gpu, uint32_t *stream);
	int (*event)(struct machine *m, uint32_t gpu, uint32_t *event);
	int (*counter)(struct machine *m, uint32_t *counter);		    /* starts at 0 */
	int (*peer_access)(struct machine *m, uint32_t gpu, uint32_t peer); /* enable gpu -> peer */
	/* Elements of the longest texture that may be bound to linear memory; -1: not known. */
	int64_t (*texture_elements)(struct machine *m, uint32_t gpu);
	/* Makes messages of up to so many bytes between the first `gpus` GPUs possible until reset;
	 * on the cuda machine by NCCL, which is looked for only now. */
	int (*channel)(struct machine *m, uint32_t gpus, enum machine_channel channel,
		       int64_t bytes);
	/* Runs body(thread, arg) on `threads` host threads (the plan: one after the other) and
	 * waits; -1 if any failed. */
	int (*run)(struct machine *m, uint32_t threads,
		   int (*body)(struct machine_thread *t, void *arg), void *arg,
		   struct machine_thread *out /* [threads]: marks of each */);
	/* inside a thread */
	int (*launch)(struct machine_thread *t, uint32_t stream,
		      const struct machine_launch *launch);
	int (*copy)(struct machine_thread *t, uint32_t stream,
		    const struct machine_copy *copy); /* asynchronous */
	int (*record)(struct machine_thread *t, uint32_t stream, uint32_t event);
	int (*wait)(struct machine_thread *t, uint32_t stream, uint32_t event);
	int (*sync)(struct machine_thread *t, uint32_t stream);
	int (*post)(struct machine_thread *t, uint32_t counter, int64_t value,
		    enum await_policy policy);
	int (*await)(struct machine_thread *t, uint32_t counter, int64_t value,
		     enum await_policy policy);
	int (*barrier)(struct machine_thread *t); /* all threads of this run */
	/* Messages with `count` different peers, all at once, in the order of the stream; what
	 * follows on it finds what was received. The thread waits for nobody, where it can be
	 * helped. */
	int (*messages)(struct machine_thread *t, uint32_t stream,
			const struct machine_message *message, uint32_t count);
	/* What the thread asks from now on is GPU `gpu`'s: for a run of one thread and several
	 * GPUs.
	 */
	int (*drive)(struct machine_thread *t, uint32_t gpu);
	/* body(t, repeat->arg) repeat->times times, in the order of repeat->stream; on the cuda
	 * machine a CUDA graph. */
	int (*repeat)(struct machine_thread *t, const struct machine_repeat *repeat);
	int (*mark)(struct machine_thread *t, enum mark mark);
	/* Frees streams, events, counters and buffers made since the machine was made; contexts
	 * stay (batch runs reuse them). */
	void (*reset)(struct machine *m);
	void (*free)(struct machine *m);
};

struct machine_timing_ops;
struct machine_stopwatch;
struct machine {
	const struct machine_ops *ops;
	const struct machine_timing_ops *timing; /* machine_timing.h; NULL: cannot time launches */
	struct machine_stopwatch *stopwatch;	 /* machine_stopwatch.h; NULL: none is set */
};

/* Of GPUs that nobody counts: all there are, at most so many. */
enum { MACHINE_GPUS_MOST = 8 };
/* All return NULL after a message. Free with m->ops->free(m). gpus = 0: all there are, at most
 * MACHINE_GPUS_MOST. */
struct machine *machine_new(const char *backend /* of MACHINE_BACKENDS */, uint32_t gpus);
#define MACHINE_BACKENDS "cuda|cpu"
struct machine *machine_cpu_new(uint32_t gpus);
struct machine *
machine_cuda_new(uint32_t gpus); /* loads libwarpreel-cuda.so; says what is missing */
/* The same from libwarpreel-cuda-blocks.so, whose kernels note where and when their blocks run;
 * (*notes)->end() after the runs. */
struct warpreel_block_notes;
struct machine *machine_cuda_new_instrumented(uint32_t gpus, uint32_t launches,
					      const struct warpreel_block_notes **notes);
struct machine *machine_plan_new(uint32_t gpus,
				 struct schedule *schedule /* borrowed, filled by run */);

/* The recorder's table when this process is being recorded, else NULL (traces/format/annotate.h).
 */
struct warpreel_annotate;
const struct warpreel_annotate *machine_annotate(void);

/* What libwarpreel-cuda.so exports; machine_cuda.c looks it up. */
#define WARPREEL_CUDA_ABI 9
struct warpreel_cuda {
	int abi; /* WARPREEL_CUDA_ABI */
	struct machine *(*machine_new)(uint32_t gpus);
	/* calibration: see model/calibrate/calibrate.h */
	int (*calibrate)(void *calibration);
	/* facts about GPU g as "key = value" lines; caller frees; NULL after a message */
	char *(*describe)(uint32_t gpu);
};
typedef const struct warpreel_cuda *warpreel_cuda_entry(void); /* symbol "warpreel_cuda_table" */
/* NULL after a message saying what is missing. */
const struct warpreel_cuda *warpreel_cuda_load(void);

/* CUDA kernels register by name: a .cu exports one such table, listed in
 * kernels/machine/cuda_kernels.def. */
struct cuda_kernel {
	const char *name;
	int (*launch)(const void *args,
		      void *stream /* cudaStream_t */); /* returns a cudaError_t as int */
};

#ifdef __cplusplus
}
#endif
#endif
