/* SPDX-License-Identifier: MIT
 * The host threads of the CUDA machine, one a GPU and helpers, and how they wait for each other.
 * Whoever fails
 * sets `aborted`; every wait looks at it, so no thread is left behind.
 */
#include <sched.h>

#include "machine_cuda.cuh"

enum { THREADS_A_GPU = 3 }; /* its own and two helpers */

struct runner { /* one thread of a run */
	struct machine_thread thread;
	struct cuda_thread state;
	int (*body)(struct machine_thread *t, void *arg);
	void *arg;
	pthread_t handle;
	int rc;
};

static inline void pause_spin(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

static inline bool aborted(const struct cuda_machine *m)
{
	return __atomic_load_n(&m->aborted, __ATOMIC_RELAXED) != 0;
}

static uint64_t note_now(const struct cuda_machine *m)
{
	return m->annotate ? m->annotate->now_ns() : 0;
}

static void note(const struct cuda_machine *m, enum note_host_kind kind, uint32_t object,
		 int64_t value, uint64_t start_ns)
{
	if (m->annotate)
		m->annotate->host_op(kind, object, value, start_ns, m->annotate->now_ns());
}

struct cuda_counter *counter_new(void)
{
	void *memory;

	if (posix_memalign(&memory, CACHE_LINE, sizeof(struct cuda_counter))) {
		report("out of memory");
		return NULL;
	}
	struct cuda_counter *counter = (struct cuda_counter *)memory;
	memset(counter, 0, sizeof(*counter));
	pthread_mutex_init(&counter->lock, NULL);
	pthread_cond_init(&counter->raised, NULL);
	return counter;
}

void counter_free(struct cuda_counter *counter)
{
	pthread_cond_destroy(&counter->raised);
	pthread_mutex_destroy(&counter->lock);
	free(counter);
}

/* Wakes every thread of the run, sleeping or spinning. */
static void run_abort(struct cuda_machine *m)
{
	__atomic_store_n(&m->aborted, 1, __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < m->counter_count; i++) {
		pthread_mutex_lock(&m->counter[i]->lock);
		pthread_cond_broadcast(&m->counter[i]->raised);
		pthread_mutex_unlock(&m->counter[i]->lock);
	}
}

static void *runner_main(void *arg)
{
	struct runner *runner = (struct runner *)arg;
	struct cuda_machine *m = runner->state.machine;
	cudaError_t error = cudaSetDevice(device_of(m, runner->thread.gpu));

	if (error)
		runner->rc = report("GPU %u: %s", runner->thread.gpu, cudaGetErrorString(error));
	else
		runner->rc = runner->body(&runner->thread, runner->arg);
	if (runner->rc)
		run_abort(m);
	return NULL;
}

int cuda_run(struct machine *base, uint32_t threads,
	     int (*body)(struct machine_thread *t, void *arg), void *arg,
	     struct machine_thread *out)
{
	struct cuda_machine *m = cuda_of(base);
	uint32_t started = 0;
	int rc = 0;

	if (threads < 1 || threads > THREADS_A_GPU * m->gpus)
		return report("a run wants %u threads, the machine was opened with %u GPUs",
			      threads, m->gpus);
	struct runner *runner = (struct runner *)xcalloc(threads, sizeof(*runner));
	m->threads = threads;
	m->aborted = m->barrier_arrived = m->barrier_generation = 0;
	for (; started < threads; started++) {
		struct runner *r = &runner[started];
		char name[16];

		r->thread.machine = base;
		r->thread.index = started;
		r->thread.gpu = started % m->gpus;
		r->thread.state = &r->state;
		for (int mark = 0; mark < MARK_COUNT; mark++)
			r->thread.mark_ns[mark] = -1;
		r->state.machine = m;
		r->body = body;
		r->arg = arg;
		int error = pthread_create(&r->handle, NULL, runner_main, r);
		if (error) {
			rc = report("host thread %u: %s", started, strerror(error));
			run_abort(m);
			break;
		}
		snprintf(name, sizeof(name), started < m->gpus ? "gpu%u" : "help%u", started);
		(void)pthread_setname_np(r->handle, name);
	}
	for (uint32_t t = 0; t < started; t++) {
		pthread_join(runner[t].handle, NULL);
		if (runner[t].rc)
			rc = -1;
		if (out)
			out[t] = runner[t].thread;
		if (out)
			out[t].state = NULL;
	}
	free(runner);
	return rc;
}

/* Until `done`; yields the core only once a millisecond has gone by: a wake-up costs more than most
 * waits last. */
template <typename Done> static int spin_until(const struct cuda_machine *m, Done done)
{
	const int64_t patience_ns = 1000000;
	int64_t started_ns = 0;

	for (;;) {
		for (int i = 0; i < 256; i++) {
			if (done())
				return 0;
			if (aborted(m))
				return -1;
			pause_spin();
		}
		const int64_t now_ns = monotonic_ns();
		if (!started_ns)
			started_ns = now_ns;
		else if (now_ns - started_ns > patience_ns)
			sched_yield();
	}
}

static int block_until(const struct cuda_machine *m, struct cuda_counter *counter, int64_t value)
{
	int rc = 0;

	pthread_mutex_lock(&counter->lock);
	while (counter->value < value && !(rc = aborted(m) ? -1 : 0))
		pthread_cond_wait(&counter->raised, &counter->lock);
	pthread_mutex_unlock(&counter->lock);
	return rc;
}

int cuda_post(struct machine_thread *t, uint32_t index, int64_t value, enum await_policy policy)
{
	struct cuda_machine *m = state_of(t)->machine;
	struct cuda_counter *counter = m->counter[index];
	const uint64_t start_ns = note_now(m);

	if (policy == AWAIT_SPIN) {
		__atomic_store_n(&counter->value, value, __ATOMIC_RELEASE);
	} else {
		pthread_mutex_lock(&counter->lock);
		__atomic_store_n(&counter->value, value, __ATOMIC_RELEASE);
		pthread_cond_broadcast(&counter->raised);
		pthread_mutex_unlock(&counter->lock);
	}
	note(m, NOTE_POST, index, value, start_ns);
	return 0;
}

int cuda_await(struct machine_thread *t, uint32_t index, int64_t value, enum await_policy policy)
{
	struct cuda_machine *m = state_of(t)->machine;
	struct cuda_counter *counter = m->counter[index];
	const uint64_t start_ns = note_now(m);
	int rc;

	if (policy == AWAIT_SPIN)
		rc = spin_until(m, [=] {
			return __atomic_load_n(&counter->value, __ATOMIC_ACQUIRE) >= value;
		});
	else
		rc = block_until(m, counter, value);
	note(m, policy == AWAIT_SPIN ? NOTE_AWAIT_SPIN : NOTE_AWAIT_BLOCK, index, value, start_ns);
	return rc;
}

int cuda_barrier(struct machine_thread *t)
{
	struct cuda_machine *m = state_of(t)->machine;
	const uint64_t start_ns = note_now(m);
	const uint32_t generation = __atomic_load_n(&m->barrier_generation, __ATOMIC_ACQUIRE);
	int rc = 0;

	if (__atomic_add_fetch(&m->barrier_arrived, 1, __ATOMIC_ACQ_REL) == m->threads) {
		__atomic_store_n(&m->barrier_arrived, 0,
				 __ATOMIC_RELAXED); /* seen by whoever sees the new generation */
		__atomic_store_n(&m->barrier_generation, generation + 1, __ATOMIC_RELEASE);
	} else {
		rc = spin_until(m, [=] {
			return __atomic_load_n(&m->barrier_generation, __ATOMIC_ACQUIRE) !=
			       generation;
		});
	}
	note(m, NOTE_BARRIER, 0, generation, start_ns);
	return rc;
}

int cuda_mark(struct machine_thread *t, enum mark mark)
{
	t->mark_ns[mark] = monotonic_ns();
	const struct cuda_machine *m = state_of(t)->machine;

	note(m, NOTE_MARK, (uint32_t)mark, 0, note_now(m));
	return 0;
}
