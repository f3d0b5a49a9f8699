/* SPDX-License-Identifier: MIT
 * Launches timed without the host: captured into a graph and replayed between two events.
 */
#include "machine_cuda.cuh"

enum { LEAST_LAUNCHES = 20, MOST_LAUNCHES = 200 };
static const double LEAST_NS =
	200000; /* of a graph: the step from one graph to the next is then below one per cent */

#define TIME_TRY(call)                                                                             \
	do {                                                                                       \
		const cudaError_t error_ = (call);                                                 \
		if (error_) {                                                                      \
			report("timing launches on GPU %u: " #call ": %s", t->gpu,                 \
			       cudaGetErrorString(error_));                                        \
			return -1;                                                                 \
		}                                                                                  \
	} while (0)

struct timed {
	cudaStream_t stream;
	cudaEvent_t begin, end;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	size_t nodes;
};

static int capture(struct machine_thread *t, struct timed *timed,
		   int (*body)(struct machine_thread *t, void *arg), void *arg, int64_t times)
{
	int rc = 0;

	/* Relaxed: launches may make textures meanwhile. */
	TIME_TRY(cudaStreamBeginCapture(timed->stream, cudaStreamCaptureModeRelaxed));
	for (int64_t k = 0; k < times && !rc; k++)
		rc = body(t, arg);
	/* Also after a failure: the stream must leave capture. */
	TIME_TRY(cudaStreamEndCapture(timed->stream, &timed->graph));
	if (rc)
		return -1;
	TIME_TRY(cudaGraphGetNodes(timed->graph, NULL, &timed->nodes));
	return 0;
}

/* One replay, behind another that keeps the GPU busy while the host queues events and graph. */
static int replay(struct machine_thread *t, const struct timed *timed, double *ns)
{
	float ms = 0;

	TIME_TRY(cudaGraphLaunch(timed->ready, timed->stream));
	TIME_TRY(cudaEventRecord(timed->begin, timed->stream));
	TIME_TRY(cudaGraphLaunch(timed->ready, timed->stream));
	TIME_TRY(cudaEventRecord(timed->end, timed->stream));
	TIME_TRY(cudaEventSynchronize(timed->end));
	TIME_TRY(cudaEventElapsedTime(&ms, timed->begin, timed->end));
	*ns = 1e6 * (double)ms;
	return 0;
}

static int measure(struct machine_thread *t, struct timed *timed,
		   int (*body)(struct machine_thread *t, void *arg), void *arg,
		   struct machine_timing *timing, double *ns)
{
	float ms = 0;
	const int64_t until = monotonic_ns() + (int64_t)timing->warm_up_ms * 1000000;

	/* Once outside, so that code is loaded and errors show; then a few to see how long they
	 * take. */
	if (body(t, arg))
		return -1;
	TIME_TRY(cudaStreamSynchronize(timed->stream));
	TIME_TRY(cudaEventRecord(timed->begin, timed->stream));
	for (int k = 0; k < 4; k++)
		if (body(t, arg))
			return -1;
	TIME_TRY(cudaEventRecord(timed->end, timed->stream));
	TIME_TRY(cudaEventSynchronize(timed->end));
	TIME_TRY(cudaEventElapsedTime(&ms, timed->begin, timed->end));
	if (capture(t, timed, body, arg, 1))
		return -1;
	if (!timed->nodes)
		return report("timing launches on GPU %u: one iteration launches nothing", t->gpu);
	timing->launches = (int64_t)timed->nodes;

	const double body_ns = ms > 0 ? 1e6 * (double)ms / 4 : 1;
	int64_t times = (LEAST_LAUNCHES + timing->launches - 1) / timing->launches;
	if ((double)times * body_ns < LEAST_NS)
		times = (int64_t)(LEAST_NS / body_ns) + 1;
	/* Host-bound above, the launches take less in a graph: a short one is asked for more of
	 * them. */
	if (body_ns / (double)timing->launches < 10000)
		times *= 2;
	if (times * timing->launches > MOST_LAUNCHES)
		times = MOST_LAUNCHES / timing->launches;
	if (times < 1)
		times = 1;
	TIME_TRY(cudaGraphDestroy(timed->graph));
	timed->graph = NULL;
	if (capture(t, timed, body, arg, times))
		return -1;
	TIME_TRY(cudaGraphInstantiateWithFlags(&timed->ready, timed->graph, 0));
	TIME_TRY(cudaGraphUpload(timed->ready, timed->stream));
	do {
		if (replay(t, timed, ns))
			return -1;
	} while (monotonic_ns() < until);
	for (int k = 0; k < timing->repeats; k++) {
		if (replay(t, timed, &ns[k]))
			return -1;
		ns[k] /= (double)(times * timing->launches);
	}
	machine_timing_fill(timing, ns);
	return 0;
}

int cuda_time_launches(struct machine_thread *t, uint32_t stream,
		       int (*body)(struct machine_thread *t, void *arg), void *arg,
		       struct machine_timing *timing)
{
	struct cuda_machine *m = state_of(t)->machine;
	struct timed timed = { m->stream[stream], NULL, NULL, NULL, NULL, 0 };
	double *ns = (double *)xcalloc((size_t)timing->repeats, sizeof(*ns));
	cudaError_t error = cudaEventCreate(&timed.begin);

	if (!error)
		error = cudaEventCreate(&timed.end);
	int rc = error ? report("an event on GPU %u: %s", t->gpu, cudaGetErrorString(error))
		       : measure(t, &timed, body, arg, timing, ns);
	if (timed.ready)
		(void)cudaGraphExecDestroy(timed.ready);
	if (timed.graph)
		(void)cudaGraphDestroy(timed.graph);
	if (timed.begin)
		(void)cudaEventDestroy(timed.begin);
	if (timed.end)
		(void)cudaEventDestroy(timed.end);
	free(ns);
	return rc;
}
