/* SPDX-License-Identifier: MIT
 * [doorbell]: a channel that waits for another GPU polls without pause for some us, then every 9 us
 * or so. When the host puts work into a stream of that GPU it polls again at once: launches wake
 * kernels that wait, copies wake copies, records and waits nobody. So an exchange takes longest
 * when everything was enqueued ahead and the host is silent, as for stream.exchange_ns.
 *
 * The same exchange with nobody calling, and with each thread calling launches and copies by turns,
 * about as often as a solver does. And how long a channel polls without pause: chains in which the
 * GPUs take turns being late.
 */
#include <stdio.h>

#include "calibrate_internal.h"
#include "model/platform/benchmark_terms.h"

enum { ROUNDS = 40, RINGS = 300, PAYLOAD_BYTES = TERM_EXCHANGE_BYTES, LATES = 11 };
#define RING_NS 4000
#define LATE_STEP_NS 250.0
#define TURN_NS 9000.0

struct doorbell_run {
	bool rings;
	double late_ns;
};

static int wait_for_other(struct member *member, int event)
{
	struct gpu_kit *kit = member->kit, *other = &member->bench->kit[member->index ^ 1];
	CUDA_TRY(member->bench, cudaEventRecord(kit->event[event], kit->stream[0]));
	if (member_meet(member))
		return -1;
	CUDA_TRY(member->bench, cudaStreamWaitEvent(kit->stream[0], other->event[event], 0));
	return 0;
}

int spin_for(struct member *member, double ns)
{
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_spin(
					member->kit->stream[0], NULL, 0,
					static_cast<long long>(ns * member->kit->cycles_per_ns))));
	return 0;
}

static int ring_doorbell(struct member *member, int i)
{
	struct gpu_kit *kit = member->kit, *other = &member->bench->kit[member->index ^ 1];
	if (i % 2)
		return spin_for(member, 0);
	CUDA_TRY(member->bench, cudaMemcpyPeerAsync(other->d_target, other->gpu, kit->d_source,
						    kit->gpu, 4, kit->stream[0]));
	return 0;
}

/* Lets go, rings until the chain's end is reached, waits. NaN when the hold ran out before. */
static int release_and_ring(struct member *member, bool rings, double *ns)
{
	struct gpu_kit *kit = member->kit;
	float ms = 0;
	int rc = member_meet(member);
	hold_release(member, 1);
	int64_t next_ns = monotonic_ns();
	for (int i = 0;
	     !rc && rings && i < RINGS && cudaEventQuery(kit->end[0]) == cudaErrorNotReady; i++) {
		while (monotonic_ns() < next_ns)
			;
		next_ns += RING_NS;
		rc = ring_doorbell(member, i);
	}
	(void)cudaGetLastError(); /* not ready is no error */
	if (rc)
		return -1;
	CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
	CUDA_TRY(member->bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]));
	*ns = hold_timed_out(member, 0) ? NAN : 1e6 * static_cast<double>(ms) / ROUNDS;
	return 0;
}

static int chain_begin(struct member *member)
{
	if (hold_begin(member, 0))
		return -1;
	CUDA_TRY(member->bench, cudaEventRecord(member->kit->begin[0], member->kit->stream[0]));
	return 0;
}

static int chain_end(struct member *member, bool rings, double *ns)
{
	CUDA_TRY(member->bench, cudaEventRecord(member->kit->end[0], member->kit->stream[0]));
	return release_and_ring(member, rings, ns);
}

/* What the same kernels take without the exchange. */
static int kernels_alone(struct member *member, double kernel_ns, double *ns)
{
	if (chain_begin(member))
		return -1;
	for (int i = 0; i < ROUNDS; i++)
		if (spin_for(member, kernel_ns))
			return -1;
	return chain_end(member, false, ns);
}

static int doorbell_batch(struct member *member, void *arg, double *value)
{
	static const double kernels_ns[] = { 3000, 6000, 12000 };
	const struct doorbell_run *run = static_cast<const struct doorbell_run *>(arg);
	struct gpu_kit *kit = member->kit, *other = &member->bench->kit[member->index ^ 1];
	*value = 0;
	for (int k = 0; k < 3; k++) {
		double with, without;
		if (chain_begin(member))
			return -1;
		for (int i = 0; i < ROUNDS; i++) {
			if (spin_for(member, kernels_ns[k]) || wait_for_other(member, 2 * i))
				return -1;
			CUDA_TRY(member->bench,
				 cudaMemcpyPeerAsync(other->d_target, other->gpu, kit->d_source,
						     kit->gpu, PAYLOAD_BYTES, kit->stream[0]));
			if (wait_for_other(member, 2 * i + 1))
				return -1;
		}
		if (chain_end(member, run->rings, &with) ||
		    kernels_alone(member, kernels_ns[k], &without))
			return -1;
		*value += (with - without) / 3;
	}
	return member_meet(member);
}

/* The GPUs take turns being late by late_ns: what a round takes beyond its longer kernel. */
static int late_batch(struct member *member, void *arg, double *value)
{
	const struct doorbell_run *run = static_cast<const struct doorbell_run *>(arg);
	double with, without;
	if (chain_begin(member))
		return -1;
	for (int i = 0; i < ROUNDS; i++)
		if (spin_for(member, (i + member->index) % 2 ? TURN_NS : TURN_NS - run->late_ns) ||
		    wait_for_other(member, i))
			return -1;
	if (chain_end(member, false, &with) || kernels_alone(member, TURN_NS, &without))
		return -1;
	*value = with - without;
	return member_meet(member);
}

/* The one that waits has itself been let go late by an event, so its wait is late_ns and an event;
 * polling without pause ends where events get long. */
static int emit_poll(struct bench *bench)
{
	struct measured event_ns[LATES];
	double poll_ns = 0, least = INFINITY, most = 0;
	for (int i = 0; i < LATES; i++) {
		struct doorbell_run run = { false, i * LATE_STEP_NS };
		if (bench_measure(bench, 2, "doorbell.poll_ns", run.late_ns, late_batch, &run,
				  &event_ns[i]))
			return -1;
		least = fmin(least, event_ns[i].value);
		most = fmax(most, event_ns[i].value);
	}
	for (int i = 0; i < LATES && event_ns[i].value < 0.5 * (least + most); i++)
		poll_ns = i * LATE_STEP_NS + event_ns[i].value;
	bench_emit(bench, "doorbell.poll_ns", &poll_ns, &event_ns[0].spread, 1,
		   "two GPUs take turns being late by 0 to 2.5 us: the longest wait of the other "
		   "that ends with a short event");
	return 0;
}

int calibrate_doorbell(struct bench *bench)
{
	static const char *const key[2] = { "doorbell.silent_exchange_ns",
					    "doorbell.rung_exchange_ns" };
	static const char *const how[2] = {
		"exchange of 64 KiB between two GPUs, enqueued ahead, kernels of 3, 6 and 12 us: "
		"mean, less the kernels alone",
		"the same, each host thread meanwhile calling by turns a launch and a copy to the "
		"other GPU into its stream, one every 4 us",
	};
	if (bench->gpus < 2)
		return 0;
	for (int rings = 0; rings < 2; rings++) {
		struct measured measured;
		struct doorbell_run run = { rings == 1, 0 };
		bench_progress(bench, key[rings]);
		if (bench_measure(bench, 2, key[rings], rings, doorbell_batch, &run, &measured))
			return -1;
		bench_emit_measured(bench, key[rings], &measured, 1, how[rings]);
	}
	return emit_poll(bench);
}
