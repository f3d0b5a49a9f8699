/* SPDX-License-Identifier: MIT
 * The threads of a block as fibres of a host thread: of the launching one, or in a cooperative
 * launch of one made for the block.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cuda_runtime.h"

enum { BLOCK_MAX = 1024, AT_ONCE_MAX = 132, WARP = 32, STACK_BYTES = 64 << 10 };
enum fibre_state { RUNNABLE, AT_BLOCK_BARRIER, AT_WARP_BARRIER, AT_NAMED_BARRIER, ENDED };

thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
thread_local double dynamic_shared[EMULATED_SHARED_BYTES / sizeof(double)];

struct fibre {
	ucontext_t context; /* to start on; afterwards the two jump: a switch by context costs
			       system calls */
	jmp_buf here;
	bool started;
	enum fibre_state state;
	unsigned shuffles; /* passed so far: lanes of a warp must agree */
	unsigned met;	   /* barriers of the cluster passed */
	uint64_t value;
};

struct block_run { /* of one host thread */
	jmp_buf scheduler;
	struct fibre *fibre;
	char *stacks;
	unsigned count, current;
	unsigned named; /* how many threads meet at the named barrier */
	bool looked;	/* a fibre let the others go since the last round */
	emulated_body *body;
	void *context;
};

static thread_local struct block_run run;

/* Shared memory lies at the same distance from `threadIdx` in every host thread. */
struct cluster {
	unsigned size, arrived;
	char *anchor[AT_ONCE_MAX];
};
static thread_local struct cluster *cluster;

static void give_up(const char *what)
{
	fprintf(stderr, "emulated CUDA: block (%u,%u,%u): %s\n", blockIdx.x, blockIdx.y, blockIdx.z,
		what);
	abort();
}

static void set_thread_index(unsigned linear)
{
	threadIdx = dim3(linear % blockDim.x, linear / blockDim.x % blockDim.y,
			 linear / blockDim.x / blockDim.y);
}

static void wait_as(enum fibre_state state)
{
	run.fibre[run.current].state = state;
	if (!_setjmp(run.fibre[run.current].here))
		_longjmp(run.scheduler, 1);
}

static void fibre_main(void)
{
	for (;;) { /* a fibre serves its thread index in all blocks of the launch */
		run.body(run.context);
		wait_as(ENDED);
	}
}

static void resume(struct fibre *fibre)
{
	if (_setjmp(run.scheduler))
		return;
	if (fibre->started)
		_longjmp(fibre->here, 1);
	fibre->started = true;
	setcontext(&fibre->context);
}

void __syncthreads(void)
{
	wait_as(AT_BLOCK_BARRIER);
}

void emulated_meet(unsigned id, unsigned count)
{
	(void)id;
	run.named = count;
	wait_as(AT_NAMED_BARRIER);
}

void emulated_let_go(void)
{
	run.looked = true;
	wait_as(RUNNABLE);
}

/* One lock for all: who waits asks often, but tests are small. */
void emulated_atomic_copy(void *target, const void *source, size_t bytes)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	memcpy(target, source, bytes);
	pthread_mutex_unlock(&lock);
}

void __syncwarp(void)
{
	run.fibre[run.current].shuffles++;
	wait_as(AT_WARP_BARRIER);
}

uint64_t emulated_shuffle(uint64_t value, int source)
{
	const unsigned first = run.current / WARP * WARP;

	run.fibre[run.current].value = value;
	run.fibre[run.current].shuffles++;
	wait_as(AT_WARP_BARRIER); /* all have left theirs */
	value = run.fibre[first + ((unsigned)source & (WARP - 1))].value;
	wait_as(AT_WARP_BARRIER); /* all have read */
	return value;
}

static unsigned count_state(unsigned from, unsigned to, enum fibre_state state)
{
	unsigned n = 0;

	for (unsigned i = from; i < to; i++)
		n += run.fibre[i].state == state;
	return n;
}

static void release(unsigned from, unsigned to, enum fibre_state state)
{
	for (unsigned i = from; i < to; i++)
		if (run.fibre[i].state == state)
			run.fibre[i].state = RUNNABLE;
}

/* Lets go of the warps and blocks that are complete; false when nobody can go on. */
static bool release_complete(void)
{
	bool any = false;

	for (unsigned warp = 0; warp < run.count; warp += WARP) {
		const unsigned end = warp + WARP < run.count ? warp + WARP : run.count;
		const unsigned waiting = count_state(warp, end, AT_WARP_BARRIER);

		if (waiting == 0)
			continue;
		if (waiting == WARP) {
			for (unsigned i = warp; i < end; i++)
				if (run.fibre[i].shuffles != run.fibre[warp].shuffles)
					give_up("lanes of a warp are at different shuffles");
			release(warp, end, AT_WARP_BARRIER);
			any = true;
		}
	}
	if (run.named && count_state(0, run.count, AT_NAMED_BARRIER) == run.named) {
		release(0, run.count, AT_NAMED_BARRIER);
		any = true;
	}
	if (!any &&
	    count_state(0, run.count, AT_BLOCK_BARRIER) + count_state(0, run.count, ENDED) ==
		    run.count) {
		release(0, run.count, AT_BLOCK_BARRIER);
		any = true;
	}
	return any;
}

static void prepare(ucontext_t *start, char *stack)
{
	getcontext(start);
	start->uc_stack.ss_sp = stack;
	start->uc_stack.ss_size = STACK_BYTES;
	makecontext(start, fibre_main, 0);
}

static void run_block(void)
{
	for (unsigned i = 0; i < run.count; i++) {
		run.fibre[i].state = RUNNABLE;
		run.fibre[i].shuffles = 0;
		run.fibre[i].met = 0;
	}
	while (count_state(0, run.count, ENDED) < run.count) {
		run.looked = false;
		for (run.current = 0; run.current < run.count; run.current++) {
			if (run.fibre[run.current].state != RUNNABLE)
				continue;
			set_thread_index(run.current);
			resume(&run.fibre[run.current]);
		}
		if (run.looked)
			sched_yield(); /* what it waits for may be another block's */
		if (count_state(0, run.count, ENDED) < run.count && !release_complete() &&
		    !run.looked)
			give_up("a barrier or shuffle that not all of its threads reach");
	}
}

/* What a host thread needs before it runs blocks. */
static void begin_blocks(dim3 grid, dim3 block, emulated_body *body, void *context)
{
	const unsigned count = block.x * block.y * block.z;

	run.fibre = (struct fibre *)calloc(count, sizeof(*run.fibre));
	run.stacks = (char *)malloc((size_t)count * STACK_BYTES);
	if (!run.fibre || !run.stacks)
		abort();
	for (unsigned i = 0; i < count; i++)
		prepare(&run.fibre[i].context, run.stacks + (size_t)i * STACK_BYTES);
	run.count = count;
	run.body = body;
	run.context = context;
	gridDim = grid;
	blockDim = block;
}

static void end_blocks(void)
{
	free(run.fibre);
	free(run.stacks);
}

static bool possible(dim3 grid, dim3 block)
{
	const unsigned count = block.x * block.y * block.z;

	return count && count <= BLOCK_MAX && grid.x && grid.y && grid.z && grid.y <= 65535 &&
	       grid.z <= 65535;
}

cudaError_t emulated_launch(dim3 grid, dim3 block, emulated_body *body, void *context)
{
	if (!possible(grid, block))
		return cudaErrorInvalidConfiguration;
	begin_blocks(grid, block, body, context);
	for (unsigned z = 0; z < grid.z; z++)
		for (unsigned y = 0; y < grid.y; y++)
			for (unsigned x = 0; x < grid.x; x++) {
				blockIdx = dim3(x, y, z);
				run_block();
			}
	end_blocks();
	return cudaSuccess;
}

/* ---- blocks at once ---- */

void __cluster_barrier_arrive(void)
{
}

/* Arrives as well: whoever came between the two could not tell. */
void __cluster_barrier_wait(void)
{
	__syncthreads();
	if (run.current == 0)
		__atomic_fetch_add(&cluster->arrived, 1u, __ATOMIC_ACQ_REL);
	run.fibre[run.current].met++;
	while (__atomic_load_n(&cluster->arrived, __ATOMIC_ACQUIRE) <
	       run.fibre[run.current].met * cluster->size)
		emulated_let_go();
}

void *__cluster_map_shared_rank(const void *address, unsigned rank)
{
	while (!__atomic_load_n(&cluster->anchor[rank], __ATOMIC_ACQUIRE))
		emulated_let_go();
	return cluster->anchor[rank] + ((const char *)address - (const char *)&threadIdx);
}

struct block_thread {
	pthread_t thread;
	dim3 grid, block;
	unsigned x;
	struct cluster *cluster;
	emulated_body *body;
	void *context;
};

static void *block_main(void *arg)
{
	const struct block_thread *self = (const struct block_thread *)arg;

	begin_blocks(self->grid, self->block, self->body, self->context);
	blockIdx = dim3(self->x);
	cluster = self->cluster;
	__atomic_store_n(&cluster->anchor[self->x % cluster->size], (char *)&threadIdx,
			 __ATOMIC_RELEASE);
	run_block();
	end_blocks();
	return NULL;
}

static cudaError_t at_once(dim3 grid, dim3 block, unsigned size, emulated_body *body, void *context)
{
	if (!possible(grid, block) || grid.y > 1 || grid.z > 1 || !size || grid.x % size)
		return cudaErrorInvalidConfiguration;
	if (grid.x > AT_ONCE_MAX)
		return cudaErrorCooperativeLaunchTooLarge;
	struct block_thread *all = (struct block_thread *)calloc(grid.x, sizeof(*all));
	struct cluster *clusters = (struct cluster *)calloc(grid.x / size, sizeof(*clusters));
	if (!all || !clusters)
		abort();
	for (unsigned x = 0; x < grid.x; x++) {
		all[x].grid = grid;
		all[x].block = block;
		all[x].x = x;
		all[x].cluster = &clusters[x / size];
		all[x].cluster->size = size;
		all[x].body = body;
		all[x].context = context;
		if (pthread_create(&all[x].thread, NULL, block_main, &all[x]))
			abort();
	}
	for (unsigned x = 0; x < grid.x; x++)
		pthread_join(all[x].thread, NULL);
	free(clusters);
	free(all);
	return cudaSuccess;
}

cudaError_t emulated_cooperative(dim3 grid, dim3 block, emulated_body *body, void *context)
{
	return at_once(grid, block, 1, body, context);
}

static unsigned cluster_size(const cudaLaunchConfig_t *config)
{
	for (unsigned k = 0; k < config->numAttrs; k++)
		if (config->attrs[k].id == cudaLaunchAttributeClusterDimension)
			return config->attrs[k].val.clusterDim.x;
	return 1;
}

cudaError_t emulated_most_clusters(int *clusters, const cudaLaunchConfig_t *config)
{
	*clusters = AT_ONCE_MAX / (int)cluster_size(config);
	return cudaSuccess;
}

cudaError_t emulated_clusters(const cudaLaunchConfig_t *config, emulated_body *body, void *context)
{
	return at_once(config->gridDim, config->blockDim, cluster_size(config), body, context);
}
