/* SPDX-License-Identifier: MIT
 * Two branches of launches or copies, each alone and both at once: captured into a graph whose root
 * forks, and replayed between two events. The graph's end is the end of the later branch.
 */
#include "machine_cuda.cuh"

enum { MOST_CALLS = 400, TRIAL_CALLS = 4 };
static const double WANTED_NS =
	200000; /* of a branch: what forking and joining cost is then below two per cent */

#define PAIR_TRY(call)                                                                             \
	do {                                                                                       \
		const cudaError_t error_ = (call);                                                 \
		if (error_) {                                                                      \
			report("timing two branches on GPU %u: " #call ": %s", t->gpu,             \
			       cudaGetErrorString(error_));                                        \
			return -1;                                                                 \
		}                                                                                  \
	} while (0)

struct fork {
	const struct machine_pair *pair;
	cudaStream_t stream[2]; /* a graph is launched into the first */
	cudaEvent_t begin, end, fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	size_t nodes;
};

static int play_calls(struct machine_thread *t, const struct machine_branch *branch, int64_t calls)
{
	int rc = 0;

	for (int64_t k = 0; k < calls && !rc; k++)
		rc = branch->body(t, branch->arg);
	return rc;
}

static void fork_drop(struct fork *f)
{
	if (f->ready)
		(void)cudaGraphExecDestroy(f->ready);
	if (f->graph)
		(void)cudaGraphDestroy(f->graph);
	f->ready = NULL;
	f->graph = NULL;
}

/* A graph of so many calls of each branch; none of one: the other alone. */
static int fork_capture(struct machine_thread *t, struct fork *f, const int64_t calls[2])
{
	fork_drop(f);
	PAIR_TRY(cudaStreamBeginCapture(f->stream[0], cudaStreamCaptureModeThreadLocal));
	int rc = 0;
	cudaError_t error = cudaSuccess;
	if (calls[1]) { /* nothing came before: the second branch hangs on the root as the first
			   does */
		error = cudaEventRecord(f->fork, f->stream[0]);
		if (!error)
			error = cudaStreamWaitEvent(f->stream[1], f->fork, 0);
	}
	if (!error)
		rc = play_calls(t, &f->pair->branch[0], calls[0]);
	if (!error && !rc && calls[1]) {
		rc = play_calls(t, &f->pair->branch[1], calls[1]);
		if (!rc)
			error = cudaEventRecord(f->join, f->stream[1]);
		if (!rc && !error)
			error = cudaStreamWaitEvent(f->stream[0], f->join, 0);
	}
	/* Also after a failure: the streams must leave capture. */
	const cudaError_t ended = cudaStreamEndCapture(f->stream[0], &f->graph);
	if (rc)
		return -1;
	PAIR_TRY(error);
	PAIR_TRY(ended);
	PAIR_TRY(cudaGraphGetNodes(f->graph, NULL, &f->nodes));
	if (!f->nodes)
		return report("timing two branches on GPU %u: one call puts nothing on its stream",
			      t->gpu);
	PAIR_TRY(cudaGraphInstantiateWithFlags(&f->ready, f->graph, 0));
	PAIR_TRY(cudaGraphUpload(f->ready, f->stream[0]));
	return 0;
}

/* One replay, behind another that keeps the GPU busy while the host queues events and graph. */
static int fork_replay(struct machine_thread *t, const struct fork *f, double *ns)
{
	float ms = 0;

	PAIR_TRY(cudaGraphLaunch(f->ready, f->stream[0]));
	PAIR_TRY(cudaEventRecord(f->begin, f->stream[0]));
	PAIR_TRY(cudaGraphLaunch(f->ready, f->stream[0]));
	PAIR_TRY(cudaEventRecord(f->end, f->stream[0]));
	PAIR_TRY(cudaEventSynchronize(f->end));
	PAIR_TRY(cudaEventElapsedTime(&ms, f->begin, f->end));
	*ns = 1e6 * (double)ms;
	return 0;
}

static int fork_time(struct machine_thread *t, struct fork *f, const int64_t calls[2],
		     struct machine_timing *timing, double *ns)
{
	const int64_t until = monotonic_ns() + (int64_t)f->pair->warm_up_ms * 1000000;

	if (fork_capture(t, f, calls))
		return -1;
	do {
		if (fork_replay(t, f, ns))
			return -1;
	} while (monotonic_ns() < until);
	timing->repeats = f->pair->repeats;
	for (int k = 0; k < timing->repeats; k++)
		if (fork_replay(t, f, &ns[k]))
			return -1;
	machine_timing_fill(timing, ns);
	return 0;
}

/* How long one call takes in a branch, and how many nodes it makes. */
static int trial(struct machine_thread *t, struct fork *f, int k, struct machine_timing *alone,
		 double *call_ns)
{
	const int64_t once[2] = { k == 0, k == 1 },
		      some[2] = { k == 0 ? TRIAL_CALLS : 0, k == 1 ? TRIAL_CALLS : 0 };

	/* Once outside, so that code is loaded and errors show. */
	if (play_calls(t, &f->pair->branch[k], 1))
		return -1;
	PAIR_TRY(cudaStreamSynchronize(f->stream[k]));
	if (fork_capture(t, f, once))
		return -1;
	alone->launches = (int64_t)f->nodes;
	if (fork_capture(t, f, some) || fork_replay(t, f, call_ns) || fork_replay(t, f, call_ns))
		return -1;
	*call_ns = *call_ns > 0 ? *call_ns / TRIAL_CALLS : 1;
	return 0;
}

static int measure(struct machine_thread *t, struct fork *f, struct machine_pair *pair, double *ns)
{
	double call_ns[2], wanted_ns = WANTED_NS;

	for (int k = 0; k < 2; k++) {
		if (trial(t, f, k, &pair->alone[k], &call_ns[k]))
			return -1;
		wanted_ns = call_ns[k] > wanted_ns ? call_ns[k] : wanted_ns;
	}
	for (int k = 0; k < 2; k++) {
		const double calls = wanted_ns / call_ns[k] + 0.5;
		pair->calls[k] = calls < 1	      ? 1
				 : calls > MOST_CALLS ? (int64_t)MOST_CALLS
						      : (int64_t)calls;
	}
	for (int k = 0; k < 2; k++) {
		const int64_t calls[2] = { k == 0 ? pair->calls[0] : 0,
					   k == 1 ? pair->calls[1] : 0 };
		if (fork_time(t, f, calls, &pair->alone[k], ns))
			return -1;
	}
	return fork_time(t, f, pair->calls, &pair->both, ns);
}

static int fork_events(struct machine_thread *t, struct fork *f)
{
	PAIR_TRY(cudaEventCreate(&f->begin));
	PAIR_TRY(cudaEventCreate(&f->end));
	PAIR_TRY(cudaEventCreateWithFlags(&f->fork, cudaEventDisableTiming));
	PAIR_TRY(cudaEventCreateWithFlags(&f->join, cudaEventDisableTiming));
	return 0;
}

int cuda_time_pair(struct machine_thread *t, struct machine_pair *pair)
{
	const struct cuda_machine *m = state_of(t)->machine;
	struct fork f;
	double *ns = (double *)xcalloc((size_t)pair->repeats, sizeof(*ns));

	memset(&f, 0, sizeof(f));
	f.pair = pair;
	f.stream[0] = m->stream[pair->branch[0].stream];
	f.stream[1] = m->stream[pair->branch[1].stream];
	const int rc = fork_events(t, &f) || measure(t, &f, pair, ns) ? -1 : 0;
	fork_drop(&f);
	const cudaEvent_t events[] = { f.begin, f.end, f.fork, f.join };
	for (size_t k = 0; k < sizeof(events) / sizeof(events[0]); k++)
		if (events[k])
			(void)cudaEventDestroy(events[k]);
	free(ns);
	return rc;
}
