/* SPDX-License-Identifier: MIT
 * What the files of the CUDA machine share: machine_cuda.cu (objects and device calls),
 * machine_cuda_pool.cu (memory), machine_cuda_threads.cu (host threads and how they wait for each
 * other), machine_cuda_time.cu (launches by themselves), machine_cuda_pair.cu (two branches of
 * them), machine_cuda_graph.cu (work that is repeated), machine_cuda_nccl.cu (messages),
 * machine_cuda_describe.cu (facts).
 */
#ifndef WARPREEL_MACHINE_CUDA_CUH
#define WARPREEL_MACHINE_CUDA_CUH

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "machine_timing.h"
extern "C" {
#include "traces/base/util.h"
}

enum { CACHE_LINE = 128, KERNEL_CACHE = 64 };

/* Memory that outlives reset(): pinning gigabytes takes seconds and a batch asks for the same again
 * and again. */
struct pool_block {
	void *address;
	int64_t bytes;
	bool used;
};

struct pool {
	enum machine_space space;
	int gpu; /* whose memory; for pinned memory, the context that pins it */
	struct pool_block *block;
	size_t count, capacity;
};

void *pool_take(struct pool *pool, int64_t bytes); /* NULL after a message */
void pool_give(struct pool *pool, void *address);
void pool_release(struct pool *pool); /* frees all blocks */

struct cuda_buffer {
	void *address; /* NULL: freed */
	int64_t bytes;
	struct pool *pool;
	int gpu; /* -1: host memory */
};

struct cuda_counter { /* a spinning and a blocking door to one value */
	alignas(CACHE_LINE) int64_t value;
	pthread_mutex_t lock;
	pthread_cond_t raised;
};

struct cuda_graph { /* of struct machine_repeat */
	int (*body)(struct machine_thread *t, void *arg);
	const void *key;
	cudaGraphExec_t ready;
};

struct cuda_machine {
	struct machine base;	/* first */
	uint32_t gpus, devices; /* fewer devices: GPU g is device g % devices, to check results */
	const struct warpreel_annotate *annotate; /* NULL: nobody records */

	struct pool *device_pool; /* [gpus] */
	struct pool pinned_pool, pageable_pool;
	struct cuda_buffer *buffer;
	size_t buffer_count, buffer_capacity;
	cudaStream_t *stream;
	size_t stream_count, stream_capacity;
	cudaEvent_t *event;
	size_t event_count, event_capacity;
	struct cuda_counter **counter; /* each on its own lines */
	size_t counter_count, counter_capacity;
	struct cuda_graph *graph;
	size_t graph_count, graph_capacity;
	struct cuda_channel *channel; /* NULL: none was asked for */

	/* of the run in progress; read by spinning threads, so on lines of their own */
	uint32_t threads;
	alignas(CACHE_LINE) uint32_t aborted;
	alignas(CACHE_LINE) uint32_t barrier_arrived;
	alignas(CACHE_LINE) uint32_t barrier_generation;
};

struct cuda_thread { /* machine_thread.state */
	struct cuda_machine *machine;
	bool capturing; /* a graph */
	struct {
		const char *name; /* compared by address: names have static storage */
		const struct cuda_kernel *kernel;
	} cache[KERNEL_CACHE];
};

static inline struct cuda_machine *cuda_of(struct machine *machine)
{
	return (struct cuda_machine *)machine;
}

static inline int device_of(const struct cuda_machine *m, uint32_t gpu)
{
	return (int)(gpu % m->devices);
}

static inline struct cuda_thread *state_of(const struct machine_thread *t)
{
	return (struct cuda_thread *)t->state;
}

/* Grows an array of the machine by one zeroed element and points at it. */
template <typename T> static T *append(T **array, size_t *count, size_t *capacity)
{
	*array = (T *)grow(*array, *count, capacity, sizeof(T));
	T *element = &(*array)[(*count)++];
	memset(element, 0, sizeof(T));
	return element;
}

/* machine_cuda_graph.cu */
int cuda_repeat(struct machine_thread *t, const struct machine_repeat *repeat);

/* machine_cuda_nccl.cu */
int cuda_channel_make(struct machine *m, uint32_t gpus, enum machine_channel kind, int64_t bytes);
void cuda_channel_release(struct cuda_machine *m);
int cuda_messages(struct machine_thread *t, uint32_t stream, const struct machine_message *message,
		  uint32_t count);

/* machine_cuda_threads.cu */
struct cuda_counter *counter_new(void);
void counter_free(struct cuda_counter *counter);
int cuda_run(struct machine *m, uint32_t threads, int (*body)(struct machine_thread *t, void *arg),
	     void *arg, struct machine_thread *out);
int cuda_post(struct machine_thread *t, uint32_t counter, int64_t value, enum await_policy policy);
int cuda_await(struct machine_thread *t, uint32_t counter, int64_t value, enum await_policy policy);
int cuda_barrier(struct machine_thread *t);
int cuda_mark(struct machine_thread *t, enum mark mark);

/* machine_cuda_time.cu */
int cuda_time_launches(struct machine_thread *t, uint32_t stream,
		       int (*body)(struct machine_thread *t, void *arg), void *arg,
		       struct machine_timing *timing);

/* machine_cuda_pair.cu */
int cuda_time_pair(struct machine_thread *t, struct machine_pair *pair);

/* machine_cuda_describe.cu */
char *cuda_describe(uint32_t gpu);

#endif
