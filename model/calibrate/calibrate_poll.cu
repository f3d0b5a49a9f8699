/* SPDX-License-Identifier: MIT
 * [poll]: when a channel goes on that waits for another one. A kernel of a given body, and behind
 * it something that another channel does: a copy of its result, or a kernel of another GPU that
 * waits for its event. What that adds to the kernel falls by 1 us where the body grows by 1 us, and
 * jumps up where the channel has just missed the kernel's end: it polls once a period. From the
 * jumps come the period and until when it polled at first; what is added right before a jump is
 * what the passing on takes at best.
 */
#include <stdio.h>
#include <stdlib.h>

#include "calibrate_internal.h"
#include "poll_fit.h"

enum { REPEATS = 15, MOST_STEPS = 160 };
#define STEP_NS 250.0
#define PAUSE_NS 20000 /* between two: channels are idle again */

enum {
	ALONE,
	COPY,
	WAIT,
	AFTER
}; /* the kernel; a copy down behind it; a kernel of the next GPU; a kernel behind a copy up */

struct sweep {
	int kind;
	double added_ns[MOST_STEPS]; /* call's return to return of the synchronisation, less the
					body (AFTER: less the copy alone) */
	double call_ns;		     /* the kernel's launch's return to the other call's, median */
};

/* The other GPU waits for the kernel's event, and runs an empty kernel. */
static int wait_elsewhere(struct bench *bench, struct gpu_kit *kit, struct gpu_kit *other,
			  int64_t *called_ns)
{
	CUDA_TRY(bench, cudaEventRecord(kit->event[0], kit->stream[0]));
	CUDA_TRY(bench, cudaSetDevice(other->gpu));
	CUDA_TRY(bench, cudaStreamWaitEvent(other->stream[0], kit->event[0], 0));
	*called_ns = monotonic_ns();
	CUDA_TRY(bench, static_cast<cudaError_t>(launch_empty(other->stream[0])));
	CUDA_TRY(bench, cudaStreamSynchronize(other->stream[0]));
	return 0;
}

/* One kernel of `body_ns` and what stands behind it: from its launch's return to the
 * synchronisation's. */
static int one(struct member *member, int kind, double body_ns, double *total_ns, double *call_ns)
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit, *other = &bench->kit[(member->index + 1) % bench->gpus];
	const size_t up_bytes =
		static_cast<size_t>(body_ns * 50) + 4; /* about body_ns of copying */
	pause_ns(PAUSE_NS);
	if (kind == AFTER)
		CUDA_TRY(bench, cudaMemcpyAsync(kit->d_target, kit->h_pinned, up_bytes,
						cudaMemcpyHostToDevice, kit->stream[0]));
	else if (spin_for(member, body_ns))
		return -1;
	const int64_t begun_ns = monotonic_ns();
	if (kind == COPY)
		CUDA_TRY(bench, cudaMemcpyAsync(kit->h_pinned, kit->d_source, 4,
						cudaMemcpyDeviceToHost, kit->stream[0]));
	if (kind == AFTER)
		CUDA_TRY(bench, static_cast<cudaError_t>(launch_empty(kit->stream[0])));
	int64_t called_ns = monotonic_ns();
	if (kind == WAIT && wait_elsewhere(bench, kit, other, &called_ns))
		return -1;
	if (kind != WAIT)
		CUDA_TRY(bench, cudaStreamSynchronize(kit->stream[0]));
	*total_ns = static_cast<double>(monotonic_ns() - begun_ns);
	*call_ns = static_cast<double>(called_ns - begun_ns);
	CUDA_TRY(bench, cudaSetDevice(kit->gpu));
	CUDA_TRY(bench, cudaStreamSynchronize(kit->stream[0]));
	return 0;
}

/* The copy up alone: what AFTER is held against. */
static int copy_alone(struct member *member, double body_ns, double *total_ns)
{
	struct gpu_kit *kit = member->kit;
	pause_ns(PAUSE_NS);
	CUDA_TRY(member->bench, cudaMemcpyAsync(kit->d_target, kit->h_pinned,
						static_cast<size_t>(body_ns * 50) + 4,
						cudaMemcpyHostToDevice, kit->stream[0]));
	const int64_t begun_ns = monotonic_ns();
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	*total_ns = static_cast<double>(monotonic_ns() - begun_ns);
	return 0;
}

static int sweep_batch(struct member *member, void *arg, double *value)
{
	struct sweep *sweep = static_cast<struct sweep *>(arg);
	double call[MOST_STEPS], total[REPEATS], alone[REPEATS], called[REPEATS];
	for (int i = 0; i < MOST_STEPS; i++) {
		const double body_ns = (i + 1) * STEP_NS;
		for (int r = 0; r < REPEATS; r++) {
			alone[r] = body_ns;
			if (one(member, sweep->kind, body_ns, &total[r], &called[r]) ||
			    (sweep->kind == AFTER && copy_alone(member, body_ns, &alone[r])))
				return -1;
		}
		sweep->added_ns[i] = median_of(total, REPEATS) - median_of(alone, REPEATS);
		call[i] = median_of(called, REPEATS);
	}
	*value = sweep->call_ns = median_of(call, MOST_STEPS);
	return 0;
}

static int emit_sweep(struct bench *bench, int kind, const char *name, double sync_ns,
		      const char *what)
{
	struct sweep *sweep = static_cast<struct sweep *>(xcalloc(1, sizeof(*sweep)));
	struct measured ignored;
	struct poll_fit fit;
	double body_ns[MOST_STEPS];
	char key[64], how[256];
	sweep->kind = kind;
	for (int i = 0; i < MOST_STEPS; i++)
		body_ns[i] = (i + 1) * STEP_NS;
	snprintf(key, sizeof(key), "poll.%s_added_ns", name);
	bench_progress(bench, key);
	int rc = bench_measure(bench, 1, key, 0, sweep_batch, sweep, &ignored);
	for (int i = 0; i < MOST_STEPS; i++)
		sweep->added_ns[i] -= sync_ns;
	if (!rc)
		rc = poll_fit(body_ns, sweep->added_ns, MOST_STEPS, &fit);
	if (!rc) {
		const struct {
			const char *suffix;
			double value;
			const char *how;
		} keys[] = {
			{ "period_ns", fit.period_ns, "distance of the bodies at which it jumps" },
			{ "polled_ns", fit.polled_ns,
			  "the longest body behind which it goes on at once" },
			{ "least_ns", fit.least_ns, "what it adds at best, quantile of 5 %" },
			{ "off_ns", fit.off_ns,
			  "mean distance of the measured from that sawtooth" },
			{ "call_ns", sweep->call_ns,
			  "from the first call's return to the return of the call that waits" },
		};
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			snprintf(key, sizeof(key), "poll.%s_%s", name, keys[k].suffix);
			snprintf(how, sizeof(how), "%s: %s", what, keys[k].how);
			bench_emit(bench, key, &keys[k].value, NULL, 1, how);
		}
		snprintf(key, sizeof(key), "poll.%s_added_ns", name);
		snprintf(how, sizeof(how), "%s: what it adds, bodies from 0.25 us by 0.25 us",
			 what);
		bench_emit(bench, key, sweep->added_ns, NULL, MOST_STEPS, how);
	}
	free(sweep);
	return rc;
}

int calibrate_poll(struct bench *bench)
{
	struct sweep *alone = static_cast<struct sweep *>(xcalloc(1, sizeof(*alone)));
	struct measured ignored;
	bench_progress(bench, "poll.sync_ns");
	alone->kind = ALONE;
	int rc = bench_measure(bench, 1, "poll.sync_ns", 0, sweep_batch, alone, &ignored);
	double sync_ns = rc ? 0 : median_of(alone->added_ns, MOST_STEPS);
	if (!rc)
		bench_emit(bench, "poll.sync_ns", &sync_ns, NULL, 1,
			   "a kernel on an idle stream: launch's return to return of the "
			   "synchronisation, less its body");
	free(alone);
	if (rc ||
	    emit_sweep(bench, COPY, "copy", sync_ns,
		       "4 bytes down behind a kernel of 0.25 to 40 us") ||
	    emit_sweep(bench, AFTER, "after", 0, "an empty kernel behind a copy up of as long") ||
	    (bench->gpus > 1 &&
	     emit_sweep(bench, WAIT, "wait", sync_ns,
			"an empty kernel of the next GPU, waiting for the kernel's event")))
		return -1;
	return 0;
}
