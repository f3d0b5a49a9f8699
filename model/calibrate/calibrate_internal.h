/* SPDX-License-Identifier: MIT
 * What the calibration's CUDA files share. One `bench` owns a kit a GPU (streams, events, buffers,
 * flags); measurements run as a team of host threads, thread t on GPU t, all starting each batch
 * together, because the host side is shared.
 *
 * Three rules keep a broken machine from hanging: a barrier of threads gives up after 10 s, a hold
 * kernel lets go after 200 ms whatever the host does, and the first failure makes every thread of
 * the team leave.
 */
#ifndef WARPREEL_CALIBRATE_INTERNAL_H
#define WARPREEL_CALIBRATE_INTERNAL_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "traces/format/annotate.h"
#include "calibrate.h"
extern "C" {
#include "traces/base/core_share.h"
#include "traces/base/util.h"

/* The calling thread works for so long, and calls nothing. */
static inline void pause_ns(int64_t ns)
{
	for (const int64_t until_ns = monotonic_ns() + ns; monotonic_ns() < until_ns;)
		;
}
}

enum {
	MAX_GPUS = 16,
	KIT_STREAMS = 2,
	KIT_EVENTS = 128,
	MAX_COUNTS = 8,	   /* different numbers of threads at once */
	FULL_BATCHES = 15, /* every number is the median of this many batches ... */
	LEAST_BATCHES = 5, /* ... unless its share of the budget is used up */
	MAX_POINTS = 48	   /* of one curve */
};
#define SPIN_NS 5000.0 /* the spacer kernel of the chains */
#define HOLD_LIMIT_NS 200e6
#define MEET_LIMIT_S 10
#define OPEN_LIMIT_S                                                                               \
	120 /* contexts, peer mappings and pinned memory of many GPUs take their time */

struct bench;

struct gpu_kit {
	bool open;
	int gpu;
	double cycles_per_ns;
	cudaStream_t stream[KIT_STREAMS];
	cudaEvent_t begin[KIT_STREAMS], end[KIT_STREAMS]; /* with timing */
	cudaEvent_t event[KIT_EVENTS]; /* without: as a program uses them to order its streams */
	volatile uint32_t *flags;      /* host memory the GPU sees: see FLAG_* */
	uint32_t epoch;
	char *d_source, *d_target, *h_pinned;
	size_t buffer_bytes; /* of each of the three */
};

/* Words of gpu_kit.flags, each on a cache line of its own; the hold's are repeated for every
 * stream. */
enum {
	FLAG_RELEASE = 0,
	FLAG_TIMED_OUT = 32,
	FLAG_BEGUN = 64,
	FLAG_ENDED = 96,
	FLAG_STREAM_STRIDE = 128,
	FLAG_WORDS = FLAG_STREAM_STRIDE * KIT_STREAMS
};

struct bench {
	const struct calibration *calibration;
	int gpus;
	int counts, count[MAX_COUNTS]; /* 1, 2, 4, ... gpus */
	struct gpu_kit kit[MAX_GPUS];
	const struct warpreel_annotate *notes; /* NULL when nobody records */
	double slice_s;			       /* what one measurement may take */
	int meet_limit_s;		       /* how long threads wait for each other */
	double start_latency_ns;	       /* measured first: others are split by it */
	double sync_wake_ns;		       /* one thread; NaN until measured */
	int failed;			       /* atomic */
	unsigned arrived, generation;	       /* atomic: the team's barrier */
};

struct member { /* a thread of the team; thread t drives GPU t */
	struct bench *bench;
	int index, team;
	struct gpu_kit *kit;
};

/* One batch of one thread gives one number; NaN: this batch does not count. */
typedef int batch_fn(struct member *member, void *arg, double *value);

struct measured {
	double value, spread; /* median over the threads' medians; MAD of all batches about it */
	double of_member[MAX_GPUS];
	int batches;
};

/*
 * Runs batches of `fn` on a team of `team` threads. `phase` and `x` name the window in a recorded
 * trace ("phase=... x=..."). -1 after a message.
 */
int bench_measure(struct bench *bench, int team, const char *phase, double x, batch_fn *fn,
		  void *arg, struct measured *out);
/* All threads of the team meet, or -1. Spins: this is also the barrier whose cost is measured. */
int member_meet(struct member *member);
int bench_fail(struct bench *bench); /* always -1 */
void bench_emit(struct bench *bench, const char *key, const double *values, const double *spread,
		size_t count, const char *how);
/* The same from measurements; a cost that noise made negative is zero. */
void bench_emit_measured(struct bench *bench, const char *key, const struct measured *measured,
			 size_t count, const char *how);
void bench_progress(struct bench *bench, const char *what);

/* Kits. */
int kits_open(struct bench *bench, size_t buffer_bytes);
void kits_close(struct bench *bench);

/* The stream stays busy until released, or for 200 ms. */
int hold_begin(struct member *member, int stream);
void hold_release(struct member *member, int streams);
bool hold_timed_out(const struct member *member,
		    int stream); /* since its last hold_begin, once the stream is synchronised */

/*
 * A chain is work enqueued far ahead of the device, timed by the device from release to end.
 * `streams` chains (<= KIT_STREAMS) run side by side; all threads of the team let go together.
 * ns[s] is NaN when the hold ran out while enqueueing.
 */
struct chain {
	int (*enqueue)(struct member *member, int stream, int i, void *arg);
	void *arg;
};
int chains_run(struct member *member, const struct chain *chain, int streams, int n,
	       double ns[KIT_STREAMS]);
int chain_enqueue_spin(struct member *member, int stream, int i, void *arg); /* a link of SPIN_NS */

/* Kernels; all launch asynchronously on the calling thread's device. */
int launch_hold(cudaStream_t stream, volatile uint32_t *flags, uint32_t epoch,
		long long limit_cycles);
int launch_spin(cudaStream_t stream, volatile uint32_t *flags, uint32_t epoch, long long cycles);
struct turns {
	int blocks, threads, length; /* of a chain of operations */
};
int launch_turns(cudaStream_t stream, const struct turns *turns);
/* As many blocks as fill all multiprocessors `count` times. */
int turns_plan(struct turns *turns, int count);
int launch_empty(cudaStream_t stream); /* 64 bytes of arguments */
int launch_copy(cudaStream_t stream, void *d_target, const void *d_source,
		size_t bytes); /* reads and writes `bytes` each */
int launch_nth_first(cudaStream_t stream, int n);
int launch_firsts(void); /* how many kernels launch_nth_first knows */

int spin_for(struct member *member, double ns); /* launch_spin on its first stream */
int enqueue_copy_to(struct member *member, int other,
		    size_t bytes); /* a border to a neighbour's far or near end */

/* Waits spinning until *word is at least `wanted`; -1 when the bench failed. */
int await_spin(struct bench *bench, const int64_t *word, int64_t wanted);
/* body(member, arg, value) in a host thread of its own, as a program's run has. */
int in_new_thread(struct member *member, void *arg, double *value,
		  int (*body)(struct member *member, void *arg, double *value));

enum copy_case_kind {
	CASE_H2D,
	CASE_D2H,
	CASE_PEER,
	CASE_PEER_BACK,
	CASE_D2D,
	CASE_H2D_2D,
	CASE_D2H_2D
};
enum { CASE_ROW_BYTES = 4096 };
int copy_enqueue(struct member *member, int stream, enum copy_case_kind kind, size_t bytes);
/* ns a copy adds to a chain on GPU 0, one thread. */
int copy_added(struct bench *bench, enum copy_case_kind kind, size_t bytes, struct measured *out);

/* Payloads of the loops, the exchange and the copies on an idle stream. */
enum { LOOP_SIZES = 10 };
extern const size_t loop_sizes[LOOP_SIZES];

int calibrate_host(struct bench *bench);
int calibrate_threads(struct bench *bench);
int calibrate_first(struct bench *bench);
int calibrate_latency(struct bench *bench);
int calibrate_stream(struct bench *bench);
int calibrate_copy(struct bench *bench);
int calibrate_idle(struct bench *bench);
int calibrate_loops(struct bench *bench);
int calibrate_channels(struct bench *bench);
int calibrate_doorbell(struct bench *bench);
int calibrate_poll(struct bench *bench);
int calibrate_peer_exchange(struct bench *bench);
int calibrate_exchange(struct bench *bench);
int calibrate_notes(struct bench *bench);
int calibrate_memory(struct bench *bench);
int calibrate_sm(struct bench *bench);
int calibrate_links(struct bench *bench);

/* Reports a CUDA error with the call that gave it; 0 or -1. */
int cuda_check(struct bench *bench, cudaError_t error, const char *call);
#define CUDA_TRY(bench, call)                                                                      \
	do {                                                                                       \
		if (cuda_check((bench), (call), #call))                                            \
			return -1;                                                                 \
	} while (0)

#endif
