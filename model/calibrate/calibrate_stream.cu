/* SPDX-License-Identifier: MIT
 * [stream]: the device side. Chains enqueued far ahead of the device, so that the host plays no
 * part: the period of a kernel back to back, and what a record, a wait or a change of stream adds
 * to it.
 */
#include <stdio.h>

#include "calibrate_internal.h"

struct period {
	char *d_source, *d_target;
	size_t bytes; /* read + written; 0: the empty kernel */
	int n;
};

static int enqueue_period(struct member *member, int stream, int i, void *arg)
{
	const struct period *period = static_cast<const struct period *>(arg);
	(void)i;
	cudaStream_t s = member->kit->stream[stream];
	int error = period->bytes
			    ? launch_copy(s, period->d_target, period->d_source, period->bytes / 2)
			    : launch_empty(s);
	CUDA_TRY(member->bench, static_cast<cudaError_t>(error));
	return 0;
}

static int period_batch(struct member *member, void *arg, double *value)
{
	struct period *period = static_cast<struct period *>(arg);
	struct chain chain = { enqueue_period, period };
	double ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, period->n, ns))
		return -1;
	*value = ns[0] / period->n;
	if (isnan(*value) && period->n > 10)
		period->n /= 2;
	return 0;
}

/* Events right before and after one kernel: a duration without a tracer, for want of a better one.
 */
static int event_duration_batch(struct member *member, void *arg, double *value)
{
	struct period *period = static_cast<struct period *>(arg);
	struct chain chain = { enqueue_period, period };
	double ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, 1, ns))
		return -1;
	*value = ns[0];
	return 0;
}

static const size_t KiB = 1024, MiB = 1024 * 1024;

static int stream_periods(struct bench *bench, char *d_source, char *d_target)
{
	const size_t sizes[] = { 0,	    64 * KiB,  256 * KiB,  1 * MiB,   2 * MiB,	4 * MiB,
				 8 * MiB,   16 * MiB,  32 * MiB,   48 * MiB,  64 * MiB, 128 * MiB,
				 256 * MiB, 512 * MiB, 1024 * MiB, 2048 * MiB };
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
	struct measured period_ns[SIZES], event_ns[SIZES];
	double bytes[SIZES];
	for (int i = 0; i < SIZES; i++) {
		/* About 3 ms a batch, at most 400 launches: well inside the queue. */
		double guess_ns = 2500 + static_cast<double>(sizes[i]) / 4000;
		struct period period = { d_source, d_target, sizes[i],
					 static_cast<int>(fmin(400, fmax(8, 3e6 / guess_ns))) };
		bytes[i] = static_cast<double>(sizes[i]);
		bench_progress(bench, "stream.period_ns");
		if (bench_measure(bench, 1, "stream.period_ns", bytes[i], period_batch, &period,
				  &period_ns[i]) ||
		    bench_measure(bench, 1, "stream.event_duration_ns", bytes[i],
				  event_duration_batch, &period, &event_ns[i]))
			return -1;
	}
	bench_emit(
		bench, "stream.period_bytes", bytes, NULL, SIZES,
		"bytes read + written by the copy kernel of stream.period_ns; 0: an empty kernel");
	bench_emit_measured(bench, "stream.period_ns", period_ns, SIZES,
			    "period of a kernel enqueued 8 to 400 times behind a hold kernel, "
			    "events around all");
	bench_emit_measured(bench, "stream.event_duration_ns", event_ns, SIZES,
			    "events around one such kernel, enqueued ahead");
	return 0;
}

enum { TURNS = 50, TURN_LAUNCHES = 20 };

static int enqueue_turns(struct member *member, int stream, int i, void *arg)
{
	(void)i;
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_turns(member->kit->stream[stream],
						       static_cast<const struct turns *>(arg))));
	return 0;
}

static int turns_batch(struct member *member, void *arg, double *value)
{
	struct chain chain = { enqueue_turns, arg };
	double ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, TURN_LAUNCHES, ns))
		return -1;
	*value = ns[0] / TURN_LAUNCHES / TURNS;
	return 0;
}

/* What a recorder that times kernels by code in every block adds to them shows when the same loop
 * runs under it. */
static int stream_turns(struct bench *bench)
{
	struct turns turns[] = {
		{ 0, 256, 50 }, { 0, 256, 200 }, { 0, 1024, 50 }, { 0, 1024, 200 }
	};
	enum { COUNT = sizeof(turns) / sizeof(turns[0]) };
	struct measured turn_ns[COUNT];
	double threads[COUNT];
	for (int i = 0; i < COUNT; i++) {
		bench_progress(bench, "stream.turn_ns");
		threads[i] = turns[i].threads;
		if (cuda_check(bench, static_cast<cudaError_t>(turns_plan(&turns[i], TURNS)),
			       "occupancy of the turns' kernel") ||
		    bench_measure(bench, 1, "stream.turn_ns", threads[i], turns_batch, &turns[i],
				  &turn_ns[i]))
			return -1;
	}
	bench_emit(bench, "stream.turn_threads", threads, NULL, COUNT,
		   "threads a block of the kernels of stream.turn_ns");
	bench_emit_measured(bench, "stream.turn_ns", turn_ns, COUNT,
			    "period of a kernel whose blocks, 50 or 200 dependent operations each, "
			    "fill the multiprocessors 50 times, over 50");
	return 0;
}

struct link {
	int kind; /* LINK_* */
	int other_gpu;
};
enum { LINK_PLAIN, LINK_RECORD, LINK_HOP };

/* Kernels alternate between stream 0 here and stream 1 here or on the other GPU, each waiting for
 * the one before. */
static int enqueue_event(struct member *member, int i, const struct link *link)
{
	struct gpu_kit *here = member->kit, *there = &member->bench->kit[link->other_gpu];
	struct gpu_kit *from = i % 2 ? there : here, *to = i % 2 ? here : there;
	cudaStream_t from_stream = i % 2 ? there->stream[1] : here->stream[0];
	cudaStream_t to_stream = i % 2 ? here->stream[0] : there->stream[1];
	cudaEvent_t event = from->event[i % KIT_EVENTS];
	CUDA_TRY(member->bench, cudaSetDevice(from->gpu));
	CUDA_TRY(member->bench, cudaEventRecord(event, from_stream));
	CUDA_TRY(member->bench, cudaSetDevice(to->gpu));
	CUDA_TRY(member->bench, cudaStreamWaitEvent(to_stream, event, 0));
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_spin(
			 to_stream, NULL, 0, static_cast<long long>(SPIN_NS * to->cycles_per_ns))));
	if (to != here)
		CUDA_TRY(member->bench, cudaSetDevice(here->gpu));
	return 0;
}

static int enqueue_link(struct member *member, int stream, int i, void *arg)
{
	const struct link *link = static_cast<const struct link *>(arg);
	if (link->kind == LINK_HOP)
		return enqueue_event(member, i, link);
	if (link->kind == LINK_RECORD)
		CUDA_TRY(member->bench, cudaEventRecord(member->kit->event[i % KIT_EVENTS],
							member->kit->stream[stream]));
	return chain_enqueue_spin(member, stream, i, NULL);
}

enum { LINKS = 100 }; /* even: the last event comes home, where the end event is */

static int link_batch(struct member *member, void *arg, double *value)
{
	struct link *link = static_cast<struct link *>(arg), plain = { LINK_PLAIN, 0 };
	struct chain with = { enqueue_link, link }, without = { enqueue_link, &plain };
	double with_ns[KIT_STREAMS], without_ns[KIT_STREAMS];
	if (chains_run(member, &with, 1, LINKS, with_ns) ||
	    chains_run(member, &without, 1, LINKS, without_ns))
		return -1;
	*value = (with_ns[0] - without_ns[0]) / LINKS;
	return 0;
}

static int enqueue_satisfied_wait(struct member *member, cudaEvent_t event, int i)
{
	CUDA_TRY(member->bench, cudaStreamWaitEvent(member->kit->stream[0], event, 0));
	return chain_enqueue_spin(member, 0, i, NULL);
}

/* Events on a held stream: one of the same GPU's second stream, or one for each link on the other
 * GPU's first. */
static int record_held(struct member *member, struct member *recorder, int stream, int events)
{
	struct gpu_kit *kit = recorder->kit;
	CUDA_TRY(member->bench, cudaSetDevice(kit->gpu));
	if (hold_begin(recorder, stream))
		return -1;
	for (int i = 0; i < events; i++)
		CUDA_TRY(member->bench, cudaEventRecord(kit->event[i], kit->stream[stream]));
	CUDA_TRY(member->bench, cudaSetDevice(member->kit->gpu));
	return 0;
}

/*
 * The event must still be pending when the waits are issued (or the driver drops them) and done
 * when the device meets them: its stream is held while enqueueing and let go 50 us before stream 0.
 */
static int wait_chain(struct member *member, int other_gpu, double *ns)
{
	struct gpu_kit *kit = member->kit;
	struct member recorder = *member;
	recorder.kit = &member->bench->kit[other_gpu];
	const int stream = recorder.kit == kit ? 1 : 0, events = recorder.kit == kit ? 1 : LINKS;
	float ms = 0;
	if (hold_begin(member, 0) || record_held(member, &recorder, stream, events))
		return -1;
	CUDA_TRY(member->bench, cudaEventRecord(kit->begin[0], kit->stream[0]));
	for (int i = 0; i < LINKS; i++)
		if (enqueue_satisfied_wait(member, recorder.kit->event[i % events], i))
			return -1;
	CUDA_TRY(member->bench, cudaEventRecord(kit->end[0], kit->stream[0]));
	recorder.kit->flags[stream * FLAG_STREAM_STRIDE + FLAG_RELEASE] = recorder.kit->epoch;
	pause_ns(50000);
	hold_release(member, 2);
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	CUDA_TRY(member->bench, cudaStreamSynchronize(recorder.kit->stream[stream]));
	CUDA_TRY(member->bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]));
	bool out = hold_timed_out(member, 0);
	out |= hold_timed_out(&recorder, stream);
	*ns = out ? NAN : 1e6 * static_cast<double>(ms);
	return 0;
}

static int wait_batch(struct member *member, void *arg, double *value)
{
	struct link plain = { LINK_PLAIN, 0 };
	struct chain without = { enqueue_link, &plain };
	double with_ns, without_ns[KIT_STREAMS];
	const struct link *link = static_cast<const struct link *>(arg);
	int rc = wait_chain(member, link->other_gpu, &with_ns);
	hold_release(member, 2);
	if (rc || chains_run(member, &without, 1, LINKS, without_ns))
		return -1;
	*value = (with_ns - without_ns[0]) / LINKS;
	return 0;
}

/* Of an event of the same GPU, or of GPU 1. */
static int measure_wait(struct bench *bench, const char *key, int other_gpu, const char *how)
{
	struct link link = { LINK_PLAIN, other_gpu };
	struct measured wait;
	bench_progress(bench, key);
	if (bench_measure(bench, 1, key, other_gpu, wait_batch, &link, &wait))
		return -1;
	bench_emit_measured(bench, key, &wait, 1, how);
	return 0;
}

static int measure_link(struct bench *bench, const char *key, int kind, int other_gpu,
			struct measured *out)
{
	struct link link = { kind, other_gpu };
	bench_progress(bench, key);
	return bench_measure(bench, 1, key, other_gpu, link_batch, &link, out);
}

/* The simulated record takes record_ns on its own stream before the event is complete, so a latency
 * is what comes after that. */
static void emit_event(struct bench *bench, const char *name, const struct measured *extra,
		       size_t count, double record_ns, const char *how)
{
	double values[MAX_GPUS];
	char key[64];
	for (size_t i = 0; i < count; i++)
		values[i] = extra[i].value;
	struct measured latency = extra[0];
	latency.value = median_of(values, count) - record_ns;
	for (size_t i = 0; i < count; i++)
		latency.spread = fmax(
			latency.spread,
			fmax(extra[i].spread, fabs(extra[i].value - record_ns - latency.value)));
	snprintf(key, sizeof(key), "stream.event_%s_ns", name);
	bench_emit_measured(bench, key, &latency, 1, how);
	snprintf(key, sizeof(key), "stream.event_%s_extra_ns", name);
	bench_emit_measured(bench, key, extra, count,
			    "the same before record_ns was taken off, by pair");
}

static int stream_links(struct bench *bench)
{
	static const int others[] = { 1, 2, 4, 7 };
	struct measured record, same, peer[MAX_GPUS];
	size_t pairs = 0;
	if (measure_link(bench, "stream.record_ns", LINK_RECORD, 0, &record))
		return -1;
	bench_emit_measured(bench, "stream.record_ns", &record, 1,
			    "chain of 100 kernels of 5 us with a record between, less the plain "
			    "chain, per record");
	if (measure_wait(bench, "stream.wait_ns", 0,
			 "the same with a wait for an event pending when issued and complete when "
			 "reached") ||
	    (bench->gpus > 1 &&
	     measure_wait(bench, "stream.wait_peer_ns", 1,
			  "the same with a wait for an event of GPU 1, another one each time")))
		return -1;
	if (measure_link(bench, "stream.event_same_ns", LINK_HOP, 0, &same))
		return -1;
	double record_ns = fmax(record.value, 0);
	emit_event(bench, "same", &same, 1, record_ns,
		   "chain of 100 kernels alternating between two streams by record and wait, less "
		   "the plain chain, per event, less record_ns");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] < bench->gpus && measure_link(bench, "stream.event_peer_ns", LINK_HOP,
							    others[i], &peer[pairs++]))
			return -1;
	if (pairs)
		emit_event(bench, "peer", peer, pairs, record_ns,
			   "the same between GPU 0 and GPU 1, 2, 4, 7: median");
	return 0;
}

int calibrate_stream(struct bench *bench)
{
	char *d_source = NULL, *d_target = NULL;
	int rc = -1;
	if (cuda_check(bench, cudaSetDevice(0), "cudaSetDevice"))
		return -1;
	if (!cuda_check(bench, cudaMalloc(reinterpret_cast<void **>(&d_source), 1024 * MiB),
			"cudaMalloc of 1 GiB") &&
	    !cuda_check(bench, cudaMalloc(reinterpret_cast<void **>(&d_target), 1024 * MiB),
			"cudaMalloc of 1 GiB") &&
	    !cuda_check(bench, cudaMemset(d_source, 1, 1024 * MiB), "cudaMemset") &&
	    !cuda_check(bench, cudaDeviceSynchronize(), "cudaDeviceSynchronize"))
		rc = stream_periods(bench, d_source, d_target);
	cudaFree(d_source);
	cudaFree(d_target);
	return rc || stream_turns(bench) ? -1 : stream_links(bench);
}
