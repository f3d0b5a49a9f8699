/* SPDX-License-Identifier: MIT
 * [sleep]: counters with a mutex and a condition variable in the company they keep. The ping-pong of calibrate_threads.cu finds every post's
 * counter slept on and every await too early, by threads that do nothing else; between neighbours that exchange borders most posts find
 * nobody and most awaits are late, the counter's cache lines are the other core's, and a sleeper has called CUDA before.
 *
 *     launch, copy down, synchronise, post, await, copy up, synchronise
 *
 * Two threads play this, each round another one of them late: it posts when the other has stood in its await for a given time. So the early
 * one's post finds nobody and its await sleeps, the late one's post wakes it and its await has nothing to wait for. All pairs play at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate_internal.h"

enum { ROUNDS = 44, WARM_ROUNDS = 4, WAITS = 9, PAYLOAD_BYTES = 16384, KERNEL_BYTES = 1048576, CLOCK_READS = 1000 };
#define USUAL_WAIT_NS 20000.0
static const double waits_ns[WAITS] = { 3e3, 1e4, USUAL_WAIT_NS, 3e4, 5e4, 1e5, 2e5, 5e5, 1e6 };

enum asked { POST_QUIET, POST, AWAIT_QUIET, WAKE, AFTER /* the copy up's call behind a sleep */, AFTER_QUIET, STRETCHES };

struct alignas(128) told { /* by one thread to its partner */
	pthread_mutex_t lock;
	pthread_cond_t raised;
	int64_t value;
	alignas(128) int64_t post_ns; /* begin of the last post; read once the post was seen */
	int64_t await_ns;             /* atomic: begin of this round's await, 0 before */
};

struct sleep_loop {
	enum asked asked;
	double wait_ns;
	struct told told[MAX_GPUS];
};

struct sleep_start { struct member *member; struct sleep_loop *loop; double *value; int rc; };

static int64_t post(struct told *mine)
{
	mine->post_ns = monotonic_ns();
	pthread_mutex_lock(&mine->lock);
	mine->value++;
	pthread_cond_broadcast(&mine->raised);
	pthread_mutex_unlock(&mine->lock);
	return monotonic_ns() - mine->post_ns;
}

static int await(struct member *member, struct told *theirs, int64_t wanted)
{
	struct timespec until;
	int error = 0;
	pthread_mutex_lock(&theirs->lock);
	if (theirs->value < wanted) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += MEET_LIMIT_S;
	}
	while (theirs->value < wanted && !error)
		error = pthread_cond_timedwait(&theirs->raised, &theirs->lock, &until);
	pthread_mutex_unlock(&theirs->lock);
	if (!error)
		return 0;
	report("calibrate: thread %d was not told within %d s", member->index, MEET_LIMIT_S);
	return bench_fail(member->bench);
}

/* Until the partner has stood in its await for so long. */
static int be_late(struct member *member, const struct told *theirs, double wait_ns)
{
	for (unsigned spins = 1;; spins++) {
		int64_t since_ns = __atomic_load_n(&theirs->await_ns, __ATOMIC_ACQUIRE);
		if (since_ns && static_cast<double>(monotonic_ns() - since_ns) >= wait_ns)
			return 0;
		if (spins % 65536 == 0 && __atomic_load_n(&member->bench->failed, __ATOMIC_ACQUIRE))
			return -1;
	}
}

static int shake_hands(struct member *member, struct sleep_loop *loop, bool late, double ns[STRETCHES])
{
	struct told *mine = &loop->told[member->index], *theirs = &loop->told[member->index ^ 1];
	if (late && be_late(member, theirs, loop->wait_ns))
		return -1;
	ns[late ? POST : POST_QUIET] += static_cast<double>(post(mine));
	int64_t begun_ns = monotonic_ns();
	__atomic_store_n(&mine->await_ns, begun_ns, __ATOMIC_RELEASE);
	if (await(member, theirs, mine->value))
		return -1;
	int64_t ended_ns = monotonic_ns();
	ns[late ? AWAIT_QUIET : WAKE] += static_cast<double>(ended_ns - (late ? begun_ns : theirs->post_ns));
	return 0;
}

static int sleep_round(struct member *member, struct sleep_loop *loop, bool late, double ns[STRETCHES])
{
	struct gpu_kit *kit = member->kit;
	bool paired = (member->index ^ 1) < member->team;
	__atomic_store_n(&loop->told[member->index].await_ns, 0, __ATOMIC_RELEASE);
	if (member_meet(member))
		return -1;
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_copy(kit->stream[0], kit->d_target, kit->d_source, KERNEL_BYTES)));
	if (copy_enqueue(member, 0, CASE_D2H, PAYLOAD_BYTES))
		return -1;
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	if (paired && shake_hands(member, loop, late, ns))
		return -1;
	int64_t begun_ns = monotonic_ns();
	if (copy_enqueue(member, 0, CASE_H2D, PAYLOAD_BYTES))
		return -1;
	ns[late ? AFTER_QUIET : AFTER] += static_cast<double>(monotonic_ns() - begun_ns);
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	return member_meet(member); /* before await_ns is reset */
}

/* What reading the clock takes: every stretch has it once. */
static double clock_read_ns(void)
{
	int64_t begun_ns = monotonic_ns(), ended_ns = begun_ns;
	for (int i = 0; i < CLOCK_READS; i++)
		ended_ns = monotonic_ns();
	return static_cast<double>(ended_ns - begun_ns) / CLOCK_READS;
}

static void *sleep_main(void *arg)
{
	struct sleep_start *start = static_cast<struct sleep_start *>(arg);
	struct member *member = start->member;
	double ns[STRETCHES] = { 0 }, warm[STRETCHES] = { 0 };
	start->rc = -1;
	if (cuda_check(member->bench, cudaSetDevice(member->kit->gpu), "cudaSetDevice"))
		return NULL;
	start->loop->told[member->index].value = 0;
	for (int i = 0; i < ROUNDS; i++)
		if (sleep_round(member, start->loop, (i + member->index) % 2, i < WARM_ROUNDS ? warm : ns))
			return NULL;
	double rounds = (ROUNDS - WARM_ROUNDS) / 2, less_ns = start->loop->asked == AFTER ? ns[AFTER_QUIET] / rounds : clock_read_ns();
	if ((member->index ^ 1) < member->team)
		*start->value = ns[start->loop->asked] / rounds - less_ns;
	start->rc = 0;
	return NULL;
}

/* In a thread of its own, as in calibrate_loops.cu. */
static int sleep_batch(struct member *member, void *arg, double *value)
{
	struct sleep_start start = { member, static_cast<struct sleep_loop *>(arg), value, 0 };
	pthread_t thread;
	if (pthread_create(&thread, NULL, sleep_main, &start)) {
		report("calibrate: cannot start a thread");
		return bench_fail(member->bench);
	}
	pthread_join(thread, NULL);
	return start.rc ? bench_fail(member->bench) : 0;
}

static int all_sleeps(struct bench *bench, struct sleep_loop *loop)
{
	static const struct { const char *key; enum asked asked; const char *how; } lists[] = {
		{ "sleep.post_quiet_ns", POST_QUIET, "sleep loop: post of the early thread; mean of 20 a batch, less a clock reading" },
		{ "sleep.post_ns", POST, "sleep loop: post of the late thread, 20 us after the other began its await; likewise" },
		{ "sleep.await_quiet_ns", AWAIT_QUIET, "sleep loop: await of the late thread; likewise" },
		{ "sleep.wake_ns", WAKE, "sleep loop: begin of the late thread's post to the return of the early one's await; likewise" },
		{ "sleep.after_ns", AFTER, "sleep loop: call of the copy up in the early thread, which slept, less the same in the late one; mean of 20 a batch" },
	};
	struct measured all[WAITS];
	double longer_ns[WAITS], spread[WAITS];
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
		bench_progress(bench, lists[k].key);
		loop->asked = lists[k].asked;
		loop->wait_ns = USUAL_WAIT_NS;
		for (int n = 0; n < bench->counts; n++) /* a pair needs two */
			if (bench_measure(bench, bench->count[n] == 1 ? 2 : bench->count[n], lists[k].key, bench->count[n], sleep_batch, loop, &all[n]))
				return -1;
		bench_emit_measured(bench, lists[k].key, all, static_cast<size_t>(bench->counts), lists[k].how);
	}
	int usual = 0;
	loop->asked = WAKE;
	bench_progress(bench, "sleep.longer_ns");
	for (int w = 0; w < WAITS; w++) {
		loop->wait_ns = waits_ns[w];
		usual = waits_ns[w] == USUAL_WAIT_NS ? w : usual;
		if (bench_measure(bench, bench->gpus > 1 ? bench->gpus : 2, "sleep.longer_ns", waits_ns[w], sleep_batch, loop, &all[w]))
			return -1;
	}
	for (int w = 0; w < WAITS; w++) {
		longer_ns[w] = all[w].value - all[usual].value;
		spread[w] = all[w].spread;
	}
	bench_emit(bench, "sleep.waited_ns", waits_ns, NULL, WAITS, "begin of the await to begin of the post");
	bench_emit(bench, "sleep.longer_ns", longer_ns, spread, WAITS,
		   "sleep loop, all threads: begin of that post to the return of the await, less the same at 20 us");
	return 0;
}

int calibrate_sleep(struct bench *bench)
{
	void *memory;
	if (posix_memalign(&memory, alignof(struct sleep_loop), sizeof(struct sleep_loop)))
		return report("out of memory");
	struct sleep_loop *loop = static_cast<struct sleep_loop *>(memset(memory, 0, sizeof(struct sleep_loop)));
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_init(&loop->told[t].lock, NULL);
		pthread_cond_init(&loop->told[t].raised, NULL);
	}
	int rc = all_sleeps(bench, loop);
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_cond_destroy(&loop->told[t].raised);
		pthread_mutex_destroy(&loop->told[t].lock);
	}
	free(loop);
	return rc;
}
