/* SPDX-License-Identifier: MIT
 * [tracer.gap]: the time between two calls of a thread that the recorder itself takes. A call's price (calibrate_loops.cu) is all of it, from
 * one clock reading to the next; the recorder writes down only a part of that, and adds its own work before and after. In a burst of
 * equal calls that is little; in a loop of many kinds its code and data are no longer at hand.
 *
 * The loops do what calibrate_loops.cu does, nothing else between the calls, and note posts and awaits as programs do: so what is between two
 * records of the trace is all the recorder's (calibrate_trace_gaps.c). Each loop is played with and without notes of footprints; every other round has a
 * note between any two calls, so that each kind is met both next to a note and next to a call. Not under the recorder there is nothing to measure.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calibrate_internal.h"

enum { ROUNDS = 40, PAYLOAD_BYTES = 16384, KERNEL_BYTES = 524288 };
#define PACE_NS 30000 /* a round of the ordered loop takes at least this long, so that the device keeps up */

struct signal { /* what one thread tells the others, for sleepers and spinners */
	pthread_mutex_t lock;
	pthread_cond_t raised;
	int64_t value; /* atomic */
	char apart[128];
};

struct gap_loop {
	int (*round)(struct member *member, struct gap_loop *loop, bool every);
	bool footprints;
	struct signal *signal; /* [MAX_GPUS] */
};

struct gap_start { struct member *member; struct gap_loop *loop; int rc; };

static void note(const struct member *member, enum note_host_kind kind, uint64_t start_ns)
{
	const struct warpreel_annotate *notes = member->bench->notes;
	notes->host_op(kind, static_cast<uint32_t>(member->index), 0, start_ns, notes->now_ns());
}

static void note_now(const struct member *member, bool wanted)
{
	if (wanted)
		note(member, NOTE_MARK, member->bench->notes->now_ns());
}

/* As a program notes a launch: it fills in what it knows, then tells. */
static int noted_launch(struct member *member, const struct gap_loop *loop)
{
	struct gpu_kit *kit = member->kit;
	if (loop->footprints) {
		struct note_footprint footprint;
		memset(&footprint, 0, sizeof(footprint));
		snprintf(footprint.kernel, sizeof(footprint.kernel), "%s", "calibrate_gap");
		footprint.points = KERNEL_BYTES / 4;
		footprint.dram_bytes = footprint.resident_bytes = 2 * KERNEL_BYTES;
		footprint.path = footprint.steps = -1;
		footprint.access_count = 2;
		for (uint32_t i = 0; i < 2; i++) {
			footprint.access[i].buffer = i;
			footprint.access[i].mode = i ? ACCESS_WRITE : ACCESS_READ;
			footprint.access[i].bytes = KERNEL_BYTES;
		}
		member->bench->notes->footprint(&footprint);
	}
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_copy(kit->stream[0], kit->d_target, kit->d_source, KERNEL_BYTES)));
	return 0;
}

static void post(struct member *member, struct gap_loop *loop)
{
	struct signal *mine = &loop->signal[member->index];
	uint64_t start_ns = member->bench->notes->now_ns();
	pthread_mutex_lock(&mine->lock);
	__atomic_store_n(&mine->value, mine->value + 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&mine->raised);
	pthread_mutex_unlock(&mine->lock);
	note(member, NOTE_POST, start_ns);
}

/* Until the neighbour has posted as often as this thread. Alone there is nobody to wait for, and the note is all. */
static int await(struct member *member, struct gap_loop *loop, int neighbour, bool spin)
{
	struct signal *theirs = &loop->signal[neighbour];
	int64_t wanted = loop->signal[member->index].value;
	uint64_t start_ns = member->bench->notes->now_ns();
	int64_t until_ns = monotonic_ns() + MEET_LIMIT_S * INT64_C(1000000000);
	bool late = false;
	if (spin) {
		for (unsigned spins = 1; __atomic_load_n(&theirs->value, __ATOMIC_ACQUIRE) < wanted && !late; spins++)
			late = spins % 65536 == 0 && (monotonic_ns() > until_ns || __atomic_load_n(&member->bench->failed, __ATOMIC_ACQUIRE));
	} else if (neighbour != member->index) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += MEET_LIMIT_S;
		pthread_mutex_lock(&theirs->lock);
		while (theirs->value < wanted && !late)
			late = pthread_cond_timedwait(&theirs->raised, &theirs->lock, &until) != 0;
		pthread_mutex_unlock(&theirs->lock);
	}
	note(member, spin ? NOTE_AWAIT_SPIN : NOTE_AWAIT_BLOCK, start_ns);
	if (!late)
		return 0;
	report("calibrate: thread %d was not told within %d s", member->index, MEET_LIMIT_S);
	return bench_fail(member->bench);
}

static int synchronise(struct member *member)
{
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return 0;
}

/* Borders through the host; `every`: a note between any two calls. */
static int staged_round(struct member *member, struct gap_loop *loop, bool every)
{
	int neighbour = (member->index ^ 1) < member->team ? member->index ^ 1 : member->index;
	if (noted_launch(member, loop))
		return -1;
	note_now(member, every);
	if (noted_launch(member, loop))
		return -1;
	note_now(member, every);
	if (copy_enqueue(member, 0, CASE_D2H, PAYLOAD_BYTES))
		return -1;
	note_now(member, every);
	if (synchronise(member))
		return -1;
	post(member, loop);
	if (await(member, loop, neighbour, false) || copy_enqueue(member, 0, CASE_H2D, PAYLOAD_BYTES))
		return -1;
	note_now(member, every);
	if (synchronise(member))
		return -1;
	post(member, loop);
	return await(member, loop, neighbour, false);
}

/* GPU to GPU, ordered by events; without another GPU there is no copy. */
static int ordered_round(struct member *member, struct gap_loop *loop, bool every)
{
	int neighbour = (member->index + 1) % member->team;
	struct gpu_kit *kit = member->kit, *next = &member->bench->kit[neighbour];
	cudaStream_t stream = kit->stream[0];
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < 2; i++) {
		if (noted_launch(member, loop))
			return -1;
		note_now(member, every);
	}
	for (int k = 0; k < 2; k++) {
		CUDA_TRY(member->bench, cudaEventRecord(kit->event[k], stream));
		post(member, loop);
		if (await(member, loop, neighbour, true))
			return -1;
		CUDA_TRY(member->bench, cudaStreamWaitEvent(stream, next->event[k], 0));
		note_now(member, every);
		if (k == 0 && member->bench->gpus > 1) {
			if (copy_enqueue(member, 0, CASE_PEER, PAYLOAD_BYTES))
				return -1;
			note_now(member, every);
		}
	}
	/* The wait for the device is a note, too: no gap. */
	uint64_t start_ns = member->bench->notes->now_ns();
	while (monotonic_ns() - begun_ns < PACE_NS)
		;
	note(member, NOTE_AWAIT_SPIN, start_ns);
	return 0;
}

static void *gap_main(void *arg)
{
	struct gap_start *start = static_cast<struct gap_start *>(arg);
	struct member *member = start->member;
	start->rc = -1;
	if (cuda_check(member->bench, cudaSetDevice(member->kit->gpu), "cudaSetDevice"))
		return NULL;
	start->loop->signal[member->index].value = 0;
	if (member_meet(member))
		return NULL;
	for (int i = 0; i < ROUNDS; i++)
		if (start->loop->round(member, start->loop, i % 2))
			return NULL;
	start->rc = synchronise(member);
	return NULL;
}

/* In a thread of its own, as in calibrate_loops.cu. */
static int gap_batch(struct member *member, void *arg, double *value)
{
	struct gap_start start = { member, static_cast<struct gap_loop *>(arg), 0 };
	pthread_t thread;
	if (pthread_create(&thread, NULL, gap_main, &start)) {
		report("calibrate: cannot start a thread");
		return bench_fail(member->bench);
	}
	pthread_join(thread, NULL);
	*value = 0;
	return start.rc ? bench_fail(member->bench) : member_meet(member);
}

static int all_gaps(struct bench *bench, struct signal *signal)
{
	static const struct { const char *phase; int (*round)(struct member *member, struct gap_loop *loop, bool every); bool footprints; } loops[] = {
		{ "tracer.gap.staged", staged_round, false }, { "tracer.gap.staged_footprints", staged_round, true },
		{ "tracer.gap.ordered", ordered_round, false }, { "tracer.gap.ordered_footprints", ordered_round, true },
	};
	double threads[MAX_COUNTS];
	struct measured ignored;
	for (int n = 0; n < bench->counts; n++)
		threads[n] = bench->count[n];
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct gap_loop loop = { loops[i].round, loops[i].footprints, signal };
		bench_progress(bench, loops[i].phase);
		for (int n = 0; n < bench->counts; n++)
			if (bench_measure(bench, bench->count[n], loops[i].phase, threads[n], gap_batch, &loop, &ignored))
				return -1;
	}
	bench_emit(bench, "tracer.gap.threads", threads, NULL, static_cast<size_t>(bench->counts), "threads at once, each driving a GPU of its own");
	return 0;
}

int calibrate_gaps(struct bench *bench)
{
	if (!bench->notes)
		return 0;
	struct signal *signal = static_cast<struct signal *>(xcalloc(MAX_GPUS, sizeof(*signal)));
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_init(&signal[t].lock, NULL);
		pthread_cond_init(&signal[t].raised, NULL);
	}
	int rc = all_gaps(bench, signal);
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_destroy(&signal[t].lock);
		pthread_cond_destroy(&signal[t].raised);
	}
	free(signal);
	return rc;
}
