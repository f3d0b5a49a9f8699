/* SPDX-License-Identifier: MIT
 * Calls in the company they keep. A burst of equal calls behind a hold finds caches and branch
 * predictors warm and a queue that is never empty; a program's loop mixes calls, waits for the
 * device, and pays more for each. Four loops, one launch, nothing of a solver in them:
 *
 * - staged: launch, launch, copy down, synchronise, tell the other thread and sleep until it has
 *   told, copy up, synchronise (borders through the host; with one thread nobody is told);
 * - peer: launch, launch, record, wait, copy to the next GPU, record, wait (GPU to GPU, in the
 *   order that events give);
 * - beside: two streams of a GPU by turns, each waits for the other's record, launches and records;
 * - plain: launch, launch, ... (one GPU; the device keeps up).
 *
 * Each batch runs in a host thread of its own, as a program's threads do: where such a thread
 * lands, and that it begins cold, is part of what its calls cost; the median over batches is a
 * typical thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate_internal.h"
extern "C" {
#include "call_parts.h"
}

enum { ROUNDS = 60, STAMPS = 8, PLAIN_CALLS = 200, SPREAD_THREADS = 60 };
#define PACE_NS                                                                                    \
	30000 /* a round of the peer loop takes at least this long, so that the device keeps up    \
	       */

const size_t loop_sizes[LOOP_SIZES] = { 4,	4096,	16384,	 65536,	  131072,
					262144, 524288, 1048576, 4194304, 16777216 };

struct handshake { /* a counter with a mutex and a condition variable, as between two neighbours */
	pthread_mutex_t lock;
	pthread_cond_t raised;
	int64_t value;
};

struct loop {
	int (*round)(struct member *member, const struct loop *loop, int64_t at_ns[STAMPS]);
	size_t bytes;
	int from, to; /* the stretch between two stamps is what is asked for */
	void *arg;
	struct handshake *handshake; /* [MAX_GPUS] */
};

static int tell_and_await(struct member *member, struct handshake *handshake)
{
	struct handshake *mine = &handshake[member->index], *theirs = &handshake[member->index ^ 1];
	struct timespec until;
	pthread_mutex_lock(&mine->lock);
	int64_t wanted = ++mine->value;
	pthread_cond_broadcast(&mine->raised);
	pthread_mutex_unlock(&mine->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += MEET_LIMIT_S;
	pthread_mutex_lock(&theirs->lock);
	int error = 0;
	while (theirs->value < wanted && !error)
		error = pthread_cond_timedwait(&theirs->raised, &theirs->lock, &until);
	pthread_mutex_unlock(&theirs->lock);
	if (!error)
		return 0;
	report("calibrate: thread %d was not told within %d s", member->index, MEET_LIMIT_S);
	return bench_fail(member->bench);
}

/* A kernel with some body: 1 MiB read and written, about 1 us. */
static int launch_into(struct member *member, int stream)
{
	struct gpu_kit *kit = member->kit;
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(
			 launch_copy(kit->stream[stream], kit->d_target, kit->d_source, 1048576)));
	return 0;
}

static int stamp_launch(struct member *member)
{
	return launch_into(member, 0);
}

static int staged_round(struct member *member, const struct loop *loop, int64_t at_ns[STAMPS])
{
	size_t bytes = loop->bytes;
	cudaStream_t stream = member->kit->stream[0];
	at_ns[0] = monotonic_ns();
	if (stamp_launch(member))
		return -1;
	at_ns[1] = monotonic_ns();
	if (stamp_launch(member))
		return -1;
	at_ns[2] = monotonic_ns();
	if (copy_enqueue(member, 0, CASE_D2H, bytes))
		return -1;
	at_ns[3] = monotonic_ns();
	CUDA_TRY(member->bench, cudaStreamSynchronize(stream));
	at_ns[4] = monotonic_ns();
	if ((member->index ^ 1) < member->team && tell_and_await(member, loop->handshake))
		return -1;
	at_ns[5] = monotonic_ns();
	if (copy_enqueue(member, 0, CASE_H2D, bytes))
		return -1;
	at_ns[6] = monotonic_ns();
	CUDA_TRY(member->bench, cudaStreamSynchronize(stream));
	at_ns[7] = monotonic_ns();
	return 0;
}

static int peer_round(struct member *member, const struct loop *loop, int64_t at_ns[STAMPS])
{
	size_t bytes = loop->bytes;
	struct gpu_kit *kit = member->kit,
		       *next = &member->bench->kit[(member->index + 1) % member->team];
	cudaStream_t stream = kit->stream[0];
	at_ns[0] = monotonic_ns();
	if (stamp_launch(member) || stamp_launch(member))
		return -1;
	at_ns[1] = monotonic_ns();
	CUDA_TRY(member->bench, cudaEventRecord(kit->event[0], stream));
	at_ns[2] = monotonic_ns();
	CUDA_TRY(member->bench, cudaStreamWaitEvent(stream, next->event[0], 0));
	at_ns[3] = monotonic_ns();
	if (copy_enqueue(member, 0, CASE_PEER, bytes))
		return -1;
	at_ns[4] = monotonic_ns();
	CUDA_TRY(member->bench, cudaEventRecord(kit->event[1], stream));
	at_ns[5] = monotonic_ns();
	CUDA_TRY(member->bench, cudaStreamWaitEvent(stream, next->event[1], 0));
	at_ns[6] = monotonic_ns();
	return 0;
}

static int beside_round(struct member *member, const struct loop *loop, int64_t at_ns[STAMPS])
{
	struct gpu_kit *kit = member->kit;
	(void)loop;
	at_ns[0] = monotonic_ns();
	for (int s = 0; s < 2; s++) {
		CUDA_TRY(member->bench, cudaStreamWaitEvent(kit->stream[s], kit->event[1 - s], 0));
		at_ns[2 * s + 1] = monotonic_ns();
		if (launch_into(member, s))
			return -1;
		CUDA_TRY(member->bench, cudaEventRecord(kit->event[s], kit->stream[s]));
		at_ns[2 * s + 2] = monotonic_ns();
	}
	return 0;
}

struct batch_thread { /* one batch, in its own thread */
	struct member *member;
	void *arg;
	double *value;
	int (*body)(struct member *member, void *arg, double *value);
	int rc;
};

static void *batch_main(void *arg)
{
	struct batch_thread *batch = static_cast<struct batch_thread *>(arg);
	batch->rc = cuda_check(batch->member->bench, cudaSetDevice(batch->member->kit->gpu),
			       "cudaSetDevice") ||
				    batch->body(batch->member, batch->arg, batch->value)
			    ? -1
			    : 0;
	return NULL;
}

int in_new_thread(struct member *member, void *arg, double *value,
		  int (*body)(struct member *member, void *arg, double *value))
{
	struct batch_thread batch = { member, arg, value, body, 0 };
	pthread_t thread;
	if (pthread_create(&thread, NULL, batch_main, &batch)) {
		report("calibrate: cannot start a thread");
		return bench_fail(member->bench);
	}
	pthread_join(thread, NULL);
	return batch.rc;
}

static int loop_body(struct member *member, void *arg, double *value)
{
	const struct loop *loop = static_cast<const struct loop *>(arg);
	double all[ROUNDS];
	int64_t at_ns[STAMPS];
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	loop->handshake[member->index].value = 0;
	if (member_meet(member))
		return -1;
	for (int i = 0; i < ROUNDS; i++) {
		if (loop->round(member, loop, at_ns))
			return -1;
		all[i] = static_cast<double>(at_ns[loop->to] - at_ns[loop->from]);
		while (monotonic_ns() - at_ns[0] < PACE_NS)
			;
	}
	for (cudaStream_t stream : member->kit->stream)
		CUDA_TRY(member->bench, cudaStreamSynchronize(stream));
	*value = trimmed_mean_of(all, ROUNDS);
	return member_meet(member);
}

static int loop_batch(struct member *member, void *arg, double *value)
{
	return in_new_thread(member, arg, value, loop_body);
}

static int plain_body(struct member *member, void *arg, double *value)
{
	(void)arg;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	if (member_meet(member))
		return -1;
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < PLAIN_CALLS; i++)
		if (stamp_launch(member))
			return -1;
	*value = static_cast<double>(monotonic_ns() - begun_ns) / PLAIN_CALLS;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return member_meet(member);
}

static int plain_batch(struct member *member, void *arg, double *value)
{
	return in_new_thread(member, arg, value, plain_body);
}

struct spread {
	double thread_ns[SPREAD_THREADS], call[SPREAD_THREADS * PLAIN_CALLS];
	int threads, calls;
};

static int spread_body(struct member *member, void *arg, double *value)
{
	const struct loop *loop = static_cast<const struct loop *>(arg);
	struct spread *spread = static_cast<struct spread *>(loop->arg);
	double ns[PLAIN_CALLS];
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	for (int i = 0; i < PLAIN_CALLS; i++) {
		int64_t begun_ns = monotonic_ns();
		if (stamp_launch(member))
			return -1;
		ns[i] = static_cast<double>(monotonic_ns() - begun_ns);
	}
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	*value = trimmed_mean_of(ns, PLAIN_CALLS);
	if (spread->threads < SPREAD_THREADS) {
		spread->thread_ns[spread->threads++] = *value;
		for (int i = 0; i < PLAIN_CALLS; i++)
			spread->call[spread->calls++] = ns[i] / *value;
	}
	return 0;
}

static int spread_batch(struct member *member, void *arg, double *value)
{
	return in_new_thread(member, arg, value, spread_body);
}

/*
 * How unequal equal calls are: between threads (which core, how far from the GPU) and between the
 * calls of one. For threads the quantiles at the middle of equal shares; for calls the mean of each
 * share, since a call's tail is long and every thread that waits for another pays for the other's
 * too. The slowest 0.2 % of the calls, threads that lost their core, are left out there, and stand
 * by themselves.
 */
static int emit_spread(struct bench *bench)
{
	struct spread *spread = static_cast<struct spread *>(xcalloc(1, sizeof(*spread)));
	struct loop loop = { NULL, 0, 0, 0, spread, NULL };
	struct measured ignored;
	double thread[10], call[TERM_CALL_PARTS];
	int rc = 0;
	bench_progress(bench, "host.thread_quantiles");
	while (!rc && spread->threads < SPREAD_THREADS)
		rc = bench_measure(bench, 1, "host.thread_quantiles", spread->threads, spread_batch,
				   &loop, &ignored);
	if (!rc) {
		double middle = median_of(spread->thread_ns, static_cast<size_t>(spread->threads));
		const size_t calls = static_cast<size_t>(spread->calls);
		double slowest_ns = (mean_between(spread->call, calls, TERM_CALLS_KEPT, 1) -
				     mean_between(spread->call, calls, 0, TERM_CALLS_KEPT)) *
				    middle;
		for (int i = 0; i < 10; i++)
			thread[i] =
				quantile_of(spread->thread_ns, static_cast<size_t>(spread->threads),
					    (i + 0.5) / 10) /
				middle;
		for (int i = 0; i < TERM_CALL_PARTS; i++)
			call[i] = mean_of_part(spread->call, calls, i);
		bench_emit(bench, "host.thread_quantiles", thread, NULL, 10,
			   "plain loop in 60 threads one after the other: mean call of a thread "
			   "over that of the median thread");
		bench_emit(bench, "host.call_quantiles", call, NULL, TERM_CALL_PARTS,
			   "the same loops: a call over its thread's trimmed mean, mean of each "
			   "twentieth of the calls");
		bench_emit(bench, "host.slowest_call_ns", &slowest_ns, NULL, 1,
			   "the same loops: mean of the slowest 0.2 % of the calls less the mean "
			   "of the others");
	}
	free(spread);
	return rc;
}

/* One key over the numbers of threads; `scale` divides (two calls in one stretch). */
static int emit_calls(struct bench *bench, const char *key, batch_fn *fn, struct loop loop,
		      double scale, bool needs_peer, const char *how)
{
	struct measured all[MAX_COUNTS];
	if (needs_peer && bench->gpus < 2)
		return 0;
	bench_progress(bench, key);
	for (int n = 0; n < bench->counts; n++) {
		/* With one thread the next GPU is its own: measure with two and give one the same.
		 */
		int team = needs_peer && bench->count[n] == 1 ? 2 : bench->count[n];
		if (bench_measure(bench, team, key, bench->count[n], fn, &loop, &all[n]))
			return -1;
		all[n].value /= scale;
		all[n].spread /= scale;
	}
	bench_emit_measured(bench, key, all, static_cast<size_t>(bench->counts), how);
	return 0;
}

static int all_loops(struct bench *bench, struct handshake *handshake)
{
	struct loop staged = { staged_round, 16384, 0, 1, NULL, handshake },
		    peer = { peer_round, 16384, 0, 1, NULL, handshake },
		    beside = { beside_round, 0, 2, 3, NULL, handshake };
	if (emit_spread(bench) ||
	    emit_calls(bench, "host.loop_launch_plain_ns", plain_batch, staged, 1, false,
		       "plain loop: period of a launch, device keeping up") ||
	    emit_calls(bench, "host.loop_launch_idle_ns", loop_batch, staged, 1, false,
		       "staged loop: first launch after a synchronisation"))
		return -1;
	staged.from = 2, staged.to = 3;
	if (emit_calls(bench, "host.loop_copy_d2h_ns", loop_batch, staged, 1, false,
		       "staged loop: call of the copy down"))
		return -1;
	staged.from = 5, staged.to = 6;
	if (emit_calls(bench, "host.loop_copy_h2d_ns", loop_batch, staged, 1, false,
		       "staged loop: call of the copy up"))
		return -1;
	if (emit_calls(bench, "host.loop_wait_own_ns", loop_batch, beside, 1, false,
		       "loop of two streams: wait for the other's record"))
		return -1;
	static const struct {
		const char *key;
		int from, to;
		double scale;
		const char *how;
	} calls[] = {
		{ "host.loop_launch_ns", 0, 1, 2, "peer loop: a launch, mean of both" },
		{ "host.loop_record_ns", 1, 2, 1, "peer loop: first record" },
		{ "host.loop_wait_ns", 2, 3, 1, "peer loop: first wait" },
		{ "host.loop_copy_peer_ns", 3, 4, 1,
		  "peer loop: call of the copy to the next GPU" },
	};
	for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++) {
		peer.from = calls[c].from, peer.to = calls[c].to;
		if (emit_calls(bench, calls[c].key, loop_batch, peer, calls[c].scale, true,
			       calls[c].how))
			return -1;
	}
	return 0;
}

int calibrate_loops(struct bench *bench)
{
	struct handshake *handshake =
		static_cast<struct handshake *>(xcalloc(MAX_GPUS, sizeof(*handshake)));
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_init(&handshake[t].lock, NULL);
		pthread_cond_init(&handshake[t].raised, NULL);
	}
	int rc = all_loops(bench, handshake);
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_destroy(&handshake[t].lock);
		pthread_cond_destroy(&handshake[t].raised);
	}
	free(handshake);
	return rc;
}
