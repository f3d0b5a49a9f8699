/* SPDX-License-Identifier: MIT
 * [host] first_*: what the first call of a kind takes more than the next ones of that kind, in a
 * thread just made, as a program's threads are for a run. Threads meet before it, since a run's
 * begin together. What each has done before is what solvers do: copies for the first launch, which
 * it has waited for long enough to find the driver's code cold (tests/gpu_begin_together.cu),
 * copies and launches for events.
 */
#include "calibrate_internal.h"

enum { CALLS = 5, COPY_BYTES = 65536, WAIT_NS = 1000000 };

struct first {
	const char *key, *how;
	int (*issue)(struct member *member, int i);
	bool copies, launches, waits; /* before */
};

static int issue_launch(struct member *member, int i)
{
	(void)i;
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_empty(member->kit->stream[0])));
	return 0;
}

static int issue_copy(struct member *member, int i)
{
	(void)i;
	return copy_enqueue(member, 0, CASE_H2D, COPY_BYTES);
}

static int issue_record(struct member *member, int i)
{
	CUDA_TRY(member->bench, cudaEventRecord(member->kit->event[1 + i], member->kit->stream[0]));
	return 0;
}

/* An event of the next GPU's where there are several threads, of another stream's with one. */
static int issue_wait(struct member *member, int i)
{
	(void)i;
	struct gpu_kit *next = &member->bench->kit[(member->index + 1) % member->team];
	CUDA_TRY(member->bench, cudaStreamWaitEvent(member->kit->stream[1], next->event[0], 0));
	return 0;
}

#define HOW(what)                                                                                  \
	what " of a thread just made, all threads at once, less the median of the next four"
static const struct first firsts[] = {
	{ "host.first_launch_ns", HOW("first launch, behind copies and 1 ms of waiting,"),
	  issue_launch, true, false, true },
	{ "host.first_copy_ns", HOW("first call, a copy of 64 KiB to the device,"), issue_copy,
	  false, false, false },
	{ "host.first_record_ns", HOW("first event record, behind copies, launches and a wait,"),
	  issue_record, true, true, false },
	{ "host.first_wait_ns",
	  HOW("first wait of a stream for an event, behind copies, launches and a wait,"),
	  issue_wait, true, true, false },
};

static int first_body(struct member *member, void *arg, double *value)
{
	const struct first *first = static_cast<const struct first *>(arg);
	double ns[CALLS];
	for (int i = 0; i < 2; i++)
		if ((first->copies && issue_copy(member, i)) ||
		    (first->launches && issue_launch(member, i)))
			return -1;
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	if (first->waits)
		pause_ns(WAIT_NS);
	if (member_meet(member))
		return -1;
	int64_t last_ns = monotonic_ns();
	for (int i = 0; i < CALLS; i++) {
		if (first->issue(member, i))
			return -1;
		const int64_t now_ns = monotonic_ns();
		ns[i] = static_cast<double>(now_ns - last_ns);
		last_ns = now_ns;
	}
	CUDA_TRY(member->bench, cudaStreamSynchronize(member->kit->stream[0]));
	*value = ns[0] - median_of(ns + 1, CALLS - 1);
	return member_meet(member);
}

static int first_batch(struct member *member, void *arg, double *value)
{
	return in_new_thread(member, arg, value, first_body);
}

int calibrate_first(struct bench *bench)
{
	for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++) {
		struct measured measured[MAX_COUNTS];
		struct first first = firsts[k];
		bench_progress(bench, first.key);
		for (int n = 0; n < bench->counts; n++)
			if (bench_measure(bench, bench->count[n], first.key, bench->count[n],
					  first_batch, &first, &measured[n]))
				return -1;
		bench_emit_measured(bench, first.key, measured, static_cast<size_t>(bench->counts),
				    first.how);
	}
	return 0;
}
