/* SPDX-License-Identifier: MIT
 * The way from an idle stream's launch to the return of its synchronisation, split in three:
 *
 *     launch call returns ─ start_latency ▶ body begins ─ body ▶ body ends ─ sync_wake ▶
 *     synchronisation returns
 *
 * The kernel writes host memory at both ends of its body, and a polling host sees it there; so the
 * latency of that write is part of start_latency, cancels in the body, and the three always add up
 * to the measured whole. start_latency is taken with one thread; what more threads add is put in
 * sync_wake.
 */
#include "calibrate_internal.h"

enum { REPEATS = 20 };
#define BODY_NS 30000.0

struct latency {
	bool wake; /* whole minus body; else start latency */
};

static int await_flag(struct member *member, int flag, uint32_t epoch, int64_t *at_ns)
{
	int64_t limit_ns = monotonic_ns() + MEET_LIMIT_S * INT64_C(1000000000);
	for (;;) {
		uint32_t seen = member->kit->flags[flag];
		*at_ns = monotonic_ns();
		if (seen == epoch)
			return 0;
		if (*at_ns > limit_ns) {
			report("calibrate: GPU %d did not write its flag within %d s",
			       member->kit->gpu, MEET_LIMIT_S);
			return bench_fail(member->bench);
		}
	}
}

static int launch_body(struct member *member, int64_t *returned_ns)
{
	struct gpu_kit *kit = member->kit;
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	pause_ns(10000);
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_spin(
					kit->stream[0], kit->flags, ++kit->epoch,
					static_cast<long long>(BODY_NS * kit->cycles_per_ns))));
	*returned_ns = monotonic_ns();
	return 0;
}

static int latency_batch(struct member *member, void *arg, double *value)
{
	const struct latency *latency = static_cast<const struct latency *>(arg);
	double start[REPEATS], body[REPEATS], whole[REPEATS];
	int64_t returned_ns, begun_ns, ended_ns;
	for (int i = 0; i < REPEATS; i++) {
		if (launch_body(member, &returned_ns) ||
		    await_flag(member, FLAG_BEGUN, member->kit->epoch, &begun_ns) ||
		    await_flag(member, FLAG_ENDED, member->kit->epoch, &ended_ns))
			return -1;
		start[i] = static_cast<double>(begun_ns - returned_ns);
		body[i] = static_cast<double>(ended_ns - begun_ns);
		if (launch_body(member, &returned_ns))
			return -1;
		CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
		whole[i] = static_cast<double>(monotonic_ns() - returned_ns);
	}
	*value = latency->wake ? median_of(whole, REPEATS) - median_of(body, REPEATS)
			       : median_of(start, REPEATS);
	return 0;
}

struct copy_latency {
	enum copy_case_kind kind;
};

static int copy_latency_batch(struct member *member, void *arg, double *value)
{
	const struct copy_latency *latency = static_cast<const struct copy_latency *>(arg);
	double whole[REPEATS];
	for (int i = 0; i < REPEATS; i++) {
		pause_ns(10000);
		if (copy_enqueue(member, 0, latency->kind, 4))
			return -1;
		int64_t returned_ns = monotonic_ns();
		CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
		whole[i] = static_cast<double>(monotonic_ns() - returned_ns);
	}
	*value = median_of(whole, REPEATS);
	return 0;
}

/* The same sum for a copy: call returns, start latency, what the copy curve says of 4 bytes,
 * wake-up. Mean of both directions. */
static int copy_start(struct bench *bench)
{
	static const enum copy_case_kind kinds[2] = { CASE_H2D, CASE_D2H };
	struct measured mean = {};
	for (int k = 0; k < 2; k++) {
		struct copy_latency latency = { kinds[k] };
		struct measured whole, added;
		if (bench_measure(bench, 1, "stream.copy_start_latency_ns", k, copy_latency_batch,
				  &latency, &whole) ||
		    copy_added(bench, kinds[k], 4, &added))
			return -1;
		mean.value += 0.5 * (whole.value - added.value - bench->sync_wake_ns);
		mean.spread += 0.5 * (whole.spread + added.spread);
	}
	bench_emit_measured(bench, "stream.copy_start_latency_ns", &mean, 1,
			    "4-byte pinned copy on an idle stream, call's return to return of the "
			    "synchronisation, less sync_wake_ns and "
			    "the chain's ns for 4 bytes; mean of both directions, not below 0");
	return 0;
}

int calibrate_latency(struct bench *bench)
{
	struct latency latency = { false };
	struct measured start, wake[MAX_COUNTS];
	bench_progress(bench, "host.sync_wake_ns");
	if (bench_measure(bench, 1, "stream.start_latency_ns", 1, latency_batch, &latency, &start))
		return -1;
	bench->start_latency_ns = start.value;
	bench_emit_measured(
		bench, "stream.start_latency_ns", &start, 1,
		"return of a launch on an idle stream to the host seeing the kernel's first store");
	latency.wake = true;
	for (int n = 0; n < bench->counts; n++) {
		if (bench_measure(bench, bench->count[n], "host.sync_wake_ns", bench->count[n],
				  latency_batch, &latency, &wake[n]))
			return -1;
		wake[n].value -= start.value;
	}
	bench->sync_wake_ns = fmax(wake[0].value, 0);
	bench_emit_measured(bench, "host.sync_wake_ns", wake, static_cast<size_t>(bench->counts),
			    "launch of a 30 us kernel on an idle stream, call's return to return "
			    "of the synchronisation, less the kernel's "
			    "body and start_latency_ns");
	return copy_start(bench);
}
