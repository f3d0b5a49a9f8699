/* SPDX-License-Identifier: MIT
 * [peer_exchange]: the calls of threads that exchange borders from GPU to GPU: launch, launch,
 * record, tell, await the neighbour's, wait for its event, copy to it, record, tell, await, wait.
 * Like the loops of calibrate_loops.cu, but the threads are a line of neighbours and await each
 * other, so that a wait meets an event another thread has just recorded. That makes calls dearer,
 * and very unequal: a call's distribution is taken here, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate_internal.h"
extern "C" {
#include "call_parts.h"
}

enum {
	ROUNDS = 60,
	PAYLOAD_BYTES = 16384,
	MOST_CALLS = 16 * ROUNDS,
	SAMPLES = 40000,
	PASSES = 4,
	MOST_BATCHES = PASSES * FULL_BATCHES * MAX_GPUS
};
enum { LAUNCH, RECORD, WAIT, PEER, ROUND, KINDS };

struct told {
	int64_t value;
	char line[120];
}; /* a counter on a cache line of its own, and the next */

struct peer_calls {
	struct told done[MAX_GPUS], sent[MAX_GPUS];
	double mean[KINDS][MOST_BATCHES]; /* of a batch of a thread */
	int batches;			  /* in mean; atomic */
	bool warm[MAX_GPUS]; /* the thread has had its first batch, which does not count */
	bool collects;	     /* every call over the mean of its kind in its thread, into sample */
	double *sample;	     /* [SAMPLES] */
	int samples;	     /* atomic */
};

struct calls {
	double ns[KINDS][MOST_CALLS];
	int count[KINDS];
};

static void add(struct calls *calls, int kind, int64_t *at_ns)
{
	const int64_t now_ns = monotonic_ns();
	if (calls->count[kind] < MOST_CALLS)
		calls->ns[kind][calls->count[kind]++] = static_cast<double>(now_ns - *at_ns);
	*at_ns = monotonic_ns();
}

/* Both neighbours, or the one at the end of the line; odd ones look down first, so that two always
 * meet. */
static int neighbours_of(const struct member *member, int other[2])
{
	int count = 0;
	for (int k = 0; k < 2; k++) {
		const int at = member->index + ((member->index + k) % 2 ? -1 : 1);
		if (at >= 0 && at < member->team)
			other[count++] = at;
	}
	return count;
}

static int round_of(struct member *member, struct peer_calls *o, struct calls *calls, int64_t round)
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit;
	cudaStream_t stream = kit->stream[0];
	int other[2], sides = neighbours_of(member, other);
	int64_t at_ns = monotonic_ns();
	const int64_t begun_ns = at_ns;
	for (int i = 0; i < 2; i++) {
		CUDA_TRY(bench, static_cast<cudaError_t>(
					launch_copy(stream, kit->d_target, kit->d_source, 524288)));
		add(calls, LAUNCH, &at_ns);
	}
	CUDA_TRY(bench, cudaEventRecord(kit->event[0], stream));
	add(calls, RECORD, &at_ns);
	__atomic_store_n(&o->done[member->index].value, round, __ATOMIC_RELEASE);
	for (int k = 0; k < sides; k++) {
		if (await_spin(bench, &o->done[other[k]].value, round))
			return -1;
		at_ns = monotonic_ns();
		CUDA_TRY(bench, cudaStreamWaitEvent(stream, bench->kit[other[k]].event[0], 0));
		add(calls, WAIT, &at_ns);
		if (enqueue_copy_to(member, other[k], PAYLOAD_BYTES))
			return -1;
		add(calls, PEER, &at_ns);
	}
	CUDA_TRY(bench, cudaEventRecord(kit->event[1], stream));
	add(calls, RECORD, &at_ns);
	__atomic_store_n(&o->sent[member->index].value, round, __ATOMIC_RELEASE);
	for (int k = 0; k < sides; k++) {
		if (await_spin(bench, &o->sent[other[k]].value, round))
			return -1;
		at_ns = monotonic_ns();
		CUDA_TRY(bench, cudaStreamWaitEvent(stream, bench->kit[other[k]].event[1], 0));
		add(calls, WAIT, &at_ns);
	}
	at_ns = begun_ns;
	add(calls, ROUND, &at_ns);
	return 0;
}

static double mean_of_kind(const struct calls *calls, int kind)
{
	return trimmed_mean_of(calls->ns[kind], static_cast<size_t>(calls->count[kind]));
}

/* All kinds of the same rounds: they differ between threads and processes, and belong together. */
static void keep(struct peer_calls *o, const struct calls *calls)
{
	const int at = __atomic_fetch_add(&o->batches, 1, __ATOMIC_RELAXED);
	for (int kind = 0; kind < KINDS && at < MOST_BATCHES; kind++)
		o->mean[kind][at] = mean_of_kind(calls, kind);
}

static void collect(struct peer_calls *o, const struct calls *calls)
{
	for (int kind = LAUNCH; kind <= PEER; kind++) {
		const double mean = mean_of_kind(calls, kind);
		for (int i = 0; i < calls->count[kind]; i++) {
			const int at = __atomic_fetch_add(&o->samples, 1, __ATOMIC_RELAXED);
			if (at < SAMPLES)
				o->sample[at] = calls->ns[kind][i] / mean;
		}
	}
}

static int rounds(struct member *member, struct peer_calls *o, struct calls *calls)
{
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	o->done[member->index].value = o->sent[member->index].value = 0;
	if (member_meet(member))
		return -1;
	for (int64_t i = 1; i <= ROUNDS; i++)
		if (round_of(member, o, calls, i))
			return -1;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return member_meet(member);
}

static int rounds_body(struct member *member, void *arg, double *value)
{
	struct peer_calls *o = static_cast<struct peer_calls *>(arg);
	struct calls *calls = static_cast<struct calls *>(xcalloc(1, sizeof(*calls)));
	int rc = rounds(member, o, calls);
	if (!rc) {
		*value = mean_of_kind(calls, ROUND);
		if (o->warm[member->index])
			keep(o, calls);
		if (o->warm[member->index] && o->collects)
			collect(o, calls);
		o->warm[member->index] = true;
	}
	free(calls);
	return rc;
}

static int batch(struct member *member, void *arg, double *value)
{
	return in_new_thread(member, arg, value, rounds_body);
}

int calibrate_peer_exchange(struct bench *bench)
{
	static const struct {
		const char *key, *how;
	} keys[KINDS] = {
		{ "peer_exchange.launch_ns", "a launch, mean of both" },
		{ "peer_exchange.record_ns", "a record" },
		{ "peer_exchange.wait_ns", "a wait for a neighbour's event" },
		{ "peer_exchange.copy_peer_ns", "call of a copy to a neighbour" },
		{ "peer_exchange.round_ns", "a whole round" },
	};
	if (bench->gpus < 2)
		return 0;
	struct peer_calls *o = static_cast<struct peer_calls *>(xcalloc(1, sizeof(*o)));
	double quantiles[TERM_CALL_PARTS], values[KINDS][MAX_COUNTS], spread[KINDS][MAX_COUNTS];
	int rc = 0;
	o->sample = static_cast<double *>(xcalloc(SAMPLES, sizeof(double)));
	for (int n = 0; !rc && n < bench->counts; n++) {
		const int team =
			bench->count[n] > 1
				? bench->count[n]
				: 2; /* one thread has no neighbour: it gets what two take */
		o->collects = n == bench->counts - 1;
		o->batches = 0;
		for (int pass = 0; !rc && pass < PASSES; pass++) {
			struct measured ignored;
			memset(o->warm, 0, sizeof(o->warm));
			bench_progress(bench, "peer_exchange");
			rc = bench_measure(bench, team, "peer_exchange.round_ns", bench->count[n],
					   batch, o, &ignored);
		}
		for (int kind = 0; !rc && kind < KINDS; kind++) {
			values[kind][n] = median_of(o->mean[kind], static_cast<size_t>(o->batches));
			spread[kind][n] = mad_of(o->mean[kind], static_cast<size_t>(o->batches));
		}
	}
	for (int kind = 0; !rc && kind < KINDS; kind++)
		bench_emit(bench, keys[kind].key, values[kind], spread[kind],
			   static_cast<size_t>(bench->counts), keys[kind].how);
	const size_t samples = static_cast<size_t>(o->samples < SAMPLES ? o->samples : SAMPLES);
	for (int i = 0; !rc && samples && i < TERM_CALL_PARTS; i++)
		quantiles[i] = mean_of_part(o->sample, samples, i);
	if (!rc && samples)
		bench_emit(bench, "peer_exchange.call_quantiles", quantiles, NULL, TERM_CALL_PARTS,
			   "most threads: a call over the trimmed mean of its kind in its thread, "
			   "mean of each twentieth of the calls");
	free(o->sample);
	free(o);
	return rc;
}
