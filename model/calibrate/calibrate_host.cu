/* SPDX-License-Identifier: MIT
 * [host]: what the calling thread pays for each CUDA call while 1, 2, 4, ... threads drive a GPU
 * each.
 *
 * Issue costs come from bursts of calls behind a hold kernel: the device waits, so the queue
 * neither empties nor (at this depth) fills, and nothing but the host is measured.
 */
#include <stdio.h>
#include <string.h>

#include "calibrate_internal.h"

enum { ISSUE_COPY_BYTES = 65536, IDLE_REPEATS = 20, ASK_REPEATS = 2000 };

struct burst {
	const char *key, *how;
	int (*issue)(struct member *member, int i);
	int calls; /* a batch, at most */
	bool held; /* behind a hold kernel, else on an empty stream */
	bool needs_peer;
};

struct burst_run {
	const struct burst *burst;
	int calls[MAX_GPUS]; /* a batch, by thread: halved when the hold ran out */
	double additions;    /* of one thread: what its core gave, summed up (core_share.h) */
	int looks;
};

static int issue_launch(struct member *member, int i)
{
	(void)i;
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_empty(member->kit->stream[0])));
	return 0;
}

static int issue_record(struct member *member, int i)
{
	CUDA_TRY(member->bench, cudaEventRecord(member->kit->event[1 + i % (KIT_EVENTS - 1)],
						member->kit->stream[0]));
	return 0;
}

/* A wait for the next GPU's event where there are several threads, for another stream's with one.
 */
static int issue_wait(struct member *member, int i)
{
	(void)i;
	struct gpu_kit *next = &member->bench->kit[(member->index + 1) % member->team];
	CUDA_TRY(member->bench, cudaStreamWaitEvent(member->kit->stream[1], next->event[0], 0));
	return 0;
}

static int issue_copy_h2d(struct member *member, int i)
{
	(void)i;
	return copy_enqueue(member, 0, CASE_H2D, ISSUE_COPY_BYTES);
}

static int issue_copy_d2h(struct member *member, int i)
{
	(void)i;
	return copy_enqueue(member, 0, CASE_D2H, ISSUE_COPY_BYTES);
}

static int issue_copy_peer(struct member *member, int i)
{
	(void)i;
	return copy_enqueue(member, 0, CASE_PEER, ISSUE_COPY_BYTES);
}

static int issue_copy_d2d(struct member *member, int i)
{
	(void)i;
	return copy_enqueue(member, 0, CASE_D2D, ISSUE_COPY_BYTES);
}

static int issue_memset(struct member *member, int i)
{
	(void)i;
	CUDA_TRY(member->bench, cudaMemsetAsync(member->kit->d_target, 0, ISSUE_COPY_BYTES,
						member->kit->stream[0]));
	return 0;
}

static int issue_sync(struct member *member, int i)
{
	(void)i;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return 0;
}

/* Two calls: the object is made and given back. Nothing of it reaches a stream. */
static int issue_texture(struct member *member, int i)
{
	cudaResourceDesc memory = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t texture;
	(void)i;
	memory.resType = cudaResourceTypeLinear;
	memory.res.linear.devPtr = member->kit->d_target;
	memory.res.linear.desc = cudaCreateChannelDesc<float>();
	memory.res.linear.sizeInBytes = ISSUE_COPY_BYTES;
	how.readMode = cudaReadModeElementType;
	CUDA_TRY(member->bench, cudaCreateTextureObject(&texture, &memory, &how, NULL));
	CUDA_TRY(member->bench, cudaDestroyTextureObject(texture));
	return 0;
}

#define BURST_HOW(what)                                                                            \
	what "; burst of calls behind a hold kernel, period per call, all threads at once"
static const struct burst bursts[] = {
	{ "launch_ns", BURST_HOW("cudaLaunchKernel, empty kernel, 64 bytes of arguments"),
	  issue_launch, 200, true, false },
	{ "record_ns", BURST_HOW("cudaEventRecord, no timing"), issue_record, 200, true, false },
	{ "wait_ns",
	  BURST_HOW("cudaStreamWaitEvent for a pending event: 1 thread another stream's, more "
		    "threads the next GPU's"),
	  issue_wait, 200, true, false },
	{ "copy_h2d_ns", BURST_HOW("cudaMemcpyAsync host to device, 64 KiB pinned"), issue_copy_h2d,
	  100, true, false },
	{ "copy_d2h_ns", BURST_HOW("cudaMemcpyAsync device to host, 64 KiB pinned"), issue_copy_d2h,
	  100, true, false },
	{ "copy_peer_ns", BURST_HOW("cudaMemcpyPeerAsync to the next GPU, 64 KiB"), issue_copy_peer,
	  100, true, true },
	{ "copy_d2d_ns", BURST_HOW("cudaMemcpyAsync device to device, 64 KiB"), issue_copy_d2d, 100,
	  true, false },
	{ "memset_ns", BURST_HOW("cudaMemsetAsync, 64 KiB"), issue_memset, 100, true, false },
	{ "sync_idle_ns",
	  "cudaStreamSynchronize of an empty stream; burst of calls, period per call, all threads "
	  "at once",
	  issue_sync, 200, false, false },
	{ "texture_ns",
	  "cudaCreateTextureObject of 64 KiB and cudaDestroyTextureObject; burst, period of both, "
	  "all threads at once",
	  issue_texture, 100, false, false },
};

static int burst_issue(struct member *member, const struct burst *burst, int calls, double *value)
{
	if (burst->held) {
		/* Both streams: the second is where waits go, for an event recorded behind the
		 * first's hold. */
		if (hold_begin(member, 0) || hold_begin(member, 1))
			return -1;
		CUDA_TRY(member->bench,
			 cudaEventRecord(member->kit->event[0], member->kit->stream[0]));
	}
	if (member_meet(member))
		return -1;
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < calls; i++)
		if (burst->issue(member, i))
			return -1;
	*value = static_cast<double>(monotonic_ns() - begun_ns) / calls;
	return member_meet(member);
}

static int burst_batch(struct member *member, void *arg, double *value)
{
	struct burst_run *run = static_cast<struct burst_run *>(arg);
	int *calls = &run->calls[member->index];
	int rc = burst_issue(member, run->burst, *calls, value);
	hold_release(member, KIT_STREAMS);
	if (rc)
		return -1;
	if (member->team == 1) {
		run->additions += core_additions();
		run->looks++;
	}
	for (int s = 0; s < KIT_STREAMS; s++)
		CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[s]));
	/* Not short-circuited: both flags are cleared. */
	bool out = hold_timed_out(member, 0);
	out |= hold_timed_out(member, 1);
	if (out) {
		*value = NAN;
		if (*calls > 12)
			*calls /= 2;
	}
	/* Nobody holds again before all waits for the neighbours' events have gone. */
	return member_meet(member);
}

static int launch_idle_batch(struct member *member, void *arg, double *value)
{
	(void)arg;
	double call[IDLE_REPEATS];
	for (int i = 0; i < IDLE_REPEATS; i++) {
		CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
		pause_ns(10000);
		int64_t begun_ns = monotonic_ns();
		if (issue_launch(member, i))
			return -1;
		call[i] = static_cast<double>(monotonic_ns() - begun_ns);
	}
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	*value = median_of(call, IDLE_REPEATS);
	return 0;
}

static int launch_first_batch(struct member *member, void *arg, double *value)
{
	int *next = static_cast<int *>(arg);
	if (*next >= launch_firsts())
		return 0; /* NaN: none left */
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	int64_t begun_ns = monotonic_ns();
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_nth_first(member->kit->stream[0], (*next)++)));
	*value = static_cast<double>(monotonic_ns() - begun_ns);
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return 0;
}

/* The call that takes far longer than a launch can is the one that found the queue full: it returns
 * when the hold lets go. */
static int queue_depth_batch(struct member *member, void *arg, double *value)
{
	(void)arg;
	enum { MOST = 8192 };
	int launched = 0;
	if (hold_begin(member, 0))
		return -1;
	for (; launched < MOST; launched++) {
		int64_t begun_ns = monotonic_ns();
		if (issue_launch(member, launched))
			return -1;
		if (monotonic_ns() - begun_ns > 10000000)
			break;
	}
	hold_release(member, 1);
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	/* A slow call while the hold was still on was the system's doing, not a full queue: no
	 * answer. */
	bool blocked = hold_timed_out(member, 0);
	*value = blocked || launched == MOST ? static_cast<double>(launched) : NAN;
	return 0;
}

/* host.core_launch for launch_ns and so on: what the core gave that made such calls. */
static void emit_core(struct bench *bench, const struct burst_run *run)
{
	const char *cost = run->burst->key;
	const double additions = run->looks ? run->additions / run->looks : 0;
	char key[64];
	snprintf(key, sizeof(key), "host.core_%.*s", static_cast<int>(strlen(cost) - strlen("_ns")),
		 cost);
	bench_emit(bench, key, &additions, NULL, 1,
		   "additions in a thousand cycles of the core that made such calls, one thread");
}

static int host_bursts(struct bench *bench)
{
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		const struct burst *burst = &bursts[i];
		struct measured measured[MAX_COUNTS];
		char key[64];
		snprintf(key, sizeof(key), "host.%s", burst->key);
		bench_progress(bench, key);
		if (burst->needs_peer && bench->gpus < 2)
			continue;
		for (int n = 0; n < bench->counts; n++) {
			struct burst_run run = { burst, {}, 0, 0 };
			for (int t = 0; t < MAX_GPUS; t++)
				run.calls[t] = burst->calls;
			if (bench_measure(bench, bench->count[n], key, bench->count[n], burst_batch,
					  &run, &measured[n]))
				return -1;
			if (bench->count[n] == 1)
				emit_core(bench, &run);
		}
		bench_emit_measured(bench, key, measured, static_cast<size_t>(bench->counts),
				    burst->how);
	}
	return 0;
}

/* The synchronisation is there to be recorded: query calls are not, but the next call says
 * how many there were (spool_calls.c). */
static int query_batch(struct member *member, void *arg, double *value)
{
	(void)arg;
	int gpu = 0;
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < ASK_REPEATS; i++)
		CUDA_TRY(member->bench, cudaGetDevice(&gpu));
	*value = static_cast<double>(monotonic_ns() - begun_ns) / ASK_REPEATS;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	return 0;
}

static int host_asks(struct bench *bench)
{
	struct measured measured;
	bench_progress(bench, "host.query_ns");
	if (bench_measure(bench, 1, "host.query_ns", 0, query_batch, NULL, &measured))
		return -1;
	bench_emit_measured(bench, "host.query_ns", &measured, 1,
			    "cudaGetDevice over and over, period per call, one thread");
	return 0;
}

int calibrate_host(struct bench *bench)
{
	struct measured measured[MAX_COUNTS];
	double threads[MAX_COUNTS];
	size_t counts = static_cast<size_t>(bench->counts);
	int first = 0;
	for (int n = 0; n < bench->counts; n++)
		threads[n] = bench->count[n];
	bench_emit(bench, "host.threads", threads, NULL, counts,
		   "threads at once, each driving a GPU of its own");
	if (host_bursts(bench) || host_asks(bench))
		return -1;
	for (int n = 0; n < bench->counts; n++)
		if (bench_measure(bench, bench->count[n], "host.launch_idle_ns", threads[n],
				  launch_idle_batch, NULL, &measured[n]))
			return -1;
	bench_emit_measured(bench, "host.launch_idle_ns", measured, counts,
			    "duration of a launch call 10 us after its stream was synchronised; "
			    "median of 20 a batch");
	if (bench_measure(bench, 1, "host.launch_first_ns", 1, launch_first_batch, &first,
			  &measured[0]))
		return -1;
	bench_emit_measured(
		bench, "host.launch_first_ns", measured, 1,
		"first launch of kernels never launched before, loaded lazily; one kernel a batch");
	double slice_s = bench->slice_s;
	bench->slice_s = 0; /* every batch ends by waiting out the hold: few will do */
	int rc = bench_measure(bench, 1, "host.queue_depth", 1, queue_depth_batch, NULL,
			       &measured[0]);
	bench->slice_s = slice_s;
	if (rc)
		return -1;
	double depth = floor(measured[0].value);
	bench_emit(bench, "host.queue_depth", &depth, &measured[0].spread, 1,
		   "launches behind a hold kernel until one blocks");
	return calibrate_threads(bench);
}
