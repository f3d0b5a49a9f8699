/* SPDX-License-Identifier: MIT
 * [cold]: what the first calls of a kind cost more when the thread has stood waiting, and in a
 * thread that never made one. Meanwhile the driver's code and data have left the core's caches; so
 * it depends on how long, hardly on what for. The loops of calibrate_loops.cu wait some 6 us a
 * round and are warm.
 *
 * A batch is a fresh thread: it waits for the device, makes ROUNDS rounds of every kind of call,
 * waits as long again, makes them again. The first WARM rounds less as many warm ones are what is
 * asked for, less the same after the shortest wait: that one is in the loops, too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate_internal.h"

enum {
	ROUNDS = 6,
	WARM = 3,
	WAITS = 8,
	PAYLOAD_BYTES = 16384,
	PLAIN_CALLS = 200,
	MOST_CALLS = 2 * (FULL_BATCHES + 1) * WAITS * PLAIN_CALLS
};
enum { FIRST, AGAIN, PHASES };
enum { LAUNCH, RECORD, WAIT, PEER, D2H, H2D, KINDS };
static const double waits_ns[WAITS] = { 1e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8 };

struct cold {
	double wait_ns;
	double sample[PHASES][KINDS][MAX_GPUS][FULL_BATCHES + 1]; /* ns; the first batch warms up */
	int batches[MAX_GPUS];
	double call_ns[MOST_CALLS]; /* of the plain loops of all waits */
	int calls;		    /* atomic */
};

struct cold_start {
	struct member *member;
	struct cold *cold;
	int rc;
};

/* Every kind of call once or twice; adds each one's time to its kind's. */
static int cold_round(struct member *member, double ns[KINDS])
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit, *next = &bench->kit[(member->index + 1) % member->team];
	cudaStream_t stream = kit->stream[0];
	int64_t at_ns = monotonic_ns(), now_ns;
#define TIMED(kind, call)                                                                          \
	CUDA_TRY(bench, call);                                                                     \
	now_ns = monotonic_ns();                                                                   \
	ns[kind] += static_cast<double>(now_ns - at_ns);                                           \
	at_ns = now_ns
	for (int i = 0; i < 2; i++) {
		TIMED(LAUNCH, static_cast<cudaError_t>(
				      launch_copy(stream, kit->d_target, kit->d_source, 524288)));
	}
	TIMED(RECORD, cudaEventRecord(kit->event[0], stream));
	TIMED(WAIT, cudaStreamWaitEvent(stream, next->event[0], 0));
	if (member->team > 1 && copy_enqueue(member, 0, CASE_PEER, PAYLOAD_BYTES))
		return -1;
	now_ns = monotonic_ns();
	ns[PEER] += static_cast<double>(now_ns - at_ns);
	at_ns = now_ns;
	TIMED(RECORD, cudaEventRecord(kit->event[1], stream));
	TIMED(WAIT, cudaStreamWaitEvent(stream, next->event[1], 0));
	for (int up = 0; up < 2; up++) {
		if (copy_enqueue(member, 0, up ? CASE_H2D : CASE_D2H, PAYLOAD_BYTES))
			return -1;
		ns[up ? H2D : D2H] += static_cast<double>(monotonic_ns() - at_ns);
		CUDA_TRY(bench, cudaStreamSynchronize(stream));
		at_ns = monotonic_ns();
	}
#undef TIMED
	return 0;
}

static int cold_rounds(struct member *member, double more_ns[KINDS])
{
	double cold[KINDS] = { 0 }, warm[KINDS] = { 0 };
	for (int i = 0; i < ROUNDS; i++)
		if (cold_round(member, i < WARM ? cold : warm))
			return -1;
	for (int kind = 0; kind < KINDS; kind++)
		more_ns[kind] = cold[kind] - warm[kind];
	return member_meet(member);
}

/* Launches, the device keeping up: for the few that take far longer than the others. */
static int plain_calls(struct member *member, struct cold *cold)
{
	int at = __atomic_fetch_add(&cold->calls, PLAIN_CALLS, __ATOMIC_RELAXED);
	for (int i = 0; i < PLAIN_CALLS && at + PLAIN_CALLS <= MOST_CALLS; i++) {
		int64_t begun_ns = monotonic_ns();
		CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_copy(
						member->kit->stream[0], member->kit->d_target,
						member->kit->d_source, 524288)));
		cold->call_ns[at + i] = static_cast<double>(monotonic_ns() - begun_ns);
	}
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return 0;
}

static void *cold_main(void *arg)
{
	struct cold_start *start = static_cast<struct cold_start *>(arg);
	struct member *member = start->member;
	struct gpu_kit *kit = member->kit;
	double more_ns[PHASES][KINDS];
	start->rc = -1;
	/* What solvers do before: an upload. The stream is held, so that this thread's wait is as
	 * long as the kernel that the other one launched. */
	if (cuda_check(member->bench, cudaSetDevice(kit->gpu), "cudaSetDevice") ||
	    copy_enqueue(member, 0, CASE_H2D, PAYLOAD_BYTES) || member_meet(member))
		return NULL;
	for (int phase = FIRST; phase < PHASES; phase++) {
		long long cycles =
			static_cast<long long>(start->cold->wait_ns * kit->cycles_per_ns);
		if (phase == FIRST)
			hold_release(member, 1);
		else if (cuda_check(member->bench,
				    static_cast<cudaError_t>(
					    launch_spin(kit->stream[0], NULL, 0, cycles)),
				    "launch of a kernel to wait for"))
			return NULL;
		if (cuda_check(member->bench, cudaStreamSynchronize(kit->stream[0]),
			       "cudaStreamSynchronize") ||
		    member_meet(member) || cold_rounds(member, more_ns[phase]))
			return NULL;
	}
	if (plain_calls(member, start->cold))
		return NULL;
	int batch = start->cold->batches[member->index]++;
	for (int phase = FIRST; phase < PHASES; phase++)
		for (int kind = 0; kind < KINDS; kind++)
			start->cold->sample[phase][kind][member->index][batch] =
				more_ns[phase][kind];
	start->rc = 0;
	return NULL;
}

static int cold_batch(struct member *member, void *arg, double *value)
{
	struct cold_start start = { member, static_cast<struct cold *>(arg), 0 };
	struct gpu_kit *kit = member->kit;
	pthread_t thread;
	if (hold_begin(member, 0))
		return -1;
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_spin(
			 kit->stream[0], NULL, 0,
			 static_cast<long long>(start.cold->wait_ns * kit->cycles_per_ns))));
	if (pthread_create(&thread, NULL, cold_main, &start)) {
		report("calibrate: cannot start a thread");
		return bench_fail(member->bench);
	}
	pthread_join(thread, NULL);
	if (start.rc)
		return bench_fail(member->bench);
	*value = 0;
	return 0;
}

static void cold_median(const struct cold *cold, int team, int phase, int kind, double *value,
			double *spread)
{
	double all[MAX_GPUS * FULL_BATCHES];
	size_t count = 0;
	for (int t = 0; t < team; t++)
		for (int batch = 1; batch < cold->batches[t]; batch++)
			all[count++] = cold->sample[phase][kind][t][batch];
	*value = median_of(all, count);
	*spread = mad_of(all, count);
}

struct cold_list {
	const char *key;
	int phase, kind;
	const char *how;
};
static const struct cold_list lists[] = {
	{ "cold.launch_ns", AGAIN, LAUNCH,
	  "launches after such a wait, in a thread that has made some: three rounds of all kinds "
	  "less three more, less the same after the first wait" },
	{ "cold.record_ns", AGAIN, RECORD, "records, likewise" },
	{ "cold.wait_ns", AGAIN, WAIT, "waits for an event, likewise" },
	{ "cold.copy_h2d_ns", AGAIN, H2D, "copies up, likewise" },
	{ "cold.copy_d2h_ns", AGAIN, D2H, "copies down, likewise" },
	{ "cold.copy_peer_ns", AGAIN, PEER, "copies to the next GPU, likewise" },
	{ "cold.first_launch_ns", FIRST, LAUNCH,
	  "the same in a thread that has not launched before" },
	{ "cold.first_record_ns", FIRST, RECORD,
	  "the same in a thread that has not recorded before" },
	{ "cold.first_wait_ns", FIRST, WAIT,
	  "the same in a thread that has not called for a wait before" },
	{ "cold.first_copy_d2h_ns", FIRST, D2H,
	  "the same in a thread that has not copied down before" },
	{ "cold.first_copy_peer_ns", FIRST, PEER,
	  "the same in a thread that has not copied to a GPU before" },
};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

/* The share of calls that host.call_quantiles leaves out (model/calibrate/calibrate_loops.cu). */
static void emit_slowest(struct bench *bench, const struct cold *cold)
{
	size_t count = static_cast<size_t>(cold->calls < MOST_CALLS ? cold->calls : MOST_CALLS);
	double more_ns = mean_between(cold->call_ns, count, 0.998, 1) -
			 mean_between(cold->call_ns, count, 0, 0.998);
	bench_emit(bench, "cold.slowest_call_ns", &more_ns, NULL, 1,
		   "launches, the device keeping up: mean of the slowest 0.2 % of the calls less "
		   "the mean of the others");
}

int calibrate_cold(struct bench *bench)
{
	double value[LISTS][WAITS], spread[LISTS][WAITS];
	int team = bench->gpus > 1 ? 2 : 1, rc = 0;
	struct cold *cold = static_cast<struct cold *>(xcalloc(1, sizeof(*cold)));
	bench_progress(bench, "cold");
	for (int w = 0; !rc && w < WAITS; w++) {
		struct measured ignored;
		memset(cold->batches, 0, sizeof(cold->batches));
		cold->wait_ns = waits_ns[w];
		rc = bench_measure(bench, team, "cold", waits_ns[w], cold_batch, cold, &ignored);
		for (int i = 0; !rc && i < LISTS; i++)
			cold_median(cold, team, lists[i].phase, lists[i].kind, &value[i][w],
				    &spread[i][w]);
	}
	double least_ns[KINDS] = { 0 };
	for (int i = 0; !rc && i < LISTS; i++)
		if (lists[i].phase == AGAIN)
			least_ns[lists[i].kind] = value[i][0];
	for (int i = 0; !rc && i < LISTS; i++)
		for (int w = 0; w < WAITS; w++)
			value[i][w] = fmax(value[i][w] - least_ns[lists[i].kind], 0);
	if (!rc)
		bench_emit(bench, "cold.waited_ns", waits_ns, NULL, WAITS,
			   "how long a thread stood in a synchronisation");
	for (int i = 0; !rc && i < LISTS; i++)
		if (lists[i].kind != PEER || team > 1)
			bench_emit(bench, lists[i].key, value[i], spread[i], WAITS, lists[i].how);
	if (!rc)
		emit_slowest(bench, cold);
	free(cold);
	return rc ? -1 : 0;
}
