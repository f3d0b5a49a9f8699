/* SPDX-License-Identifier: MIT
 * The exchange between neighbours, on the device alone: kernel, record, the neighbour's record
 * awaited, copy to it, record, the neighbour's awaited, kernel; everything enqueued ahead, both or
 * all GPUs in step. What it takes less the kernels alone.
 */
#include <stdio.h>

#include "calibrate_internal.h"
#include "model/platform/benchmark_terms.h"

enum { EXCHANGES = 30 }; /* in a chain: each needs two of the kit's events */

/* The channels poll at times of their own: the exchange is averaged over
 * kernels of several durations. */
static const double exchange_kernel_ns[] = { 2500, 4000, 5500, 8000, 12000, 17000 };
enum { EXCHANGE_KERNELS = sizeof(exchange_kernel_ns) / sizeof(exchange_kernel_ns[0]) };

struct exchange {
	size_t bytes;
	double kernel_ns; /* 0: all of the list */
};

int enqueue_copy_to(struct member *member, int other, size_t bytes)
{
	struct gpu_kit *kit = member->kit, *to = &member->bench->kit[other];
	char *target = to->d_target + (other > kit->gpu ? 0 : to->buffer_bytes - bytes);
	CUDA_TRY(member->bench, cudaMemcpyPeerAsync(target, to->gpu, kit->d_source, kit->gpu, bytes,
						    kit->stream[0]));
	return 0;
}

static int exchange_kernel(struct member *member, int stream, int i, void *arg)
{
	(void)i;
	const struct exchange *exchange = static_cast<const struct exchange *>(arg);
	struct gpu_kit *kit = member->kit;
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_spin(
			 kit->stream[stream], NULL, 0,
			 static_cast<long long>(exchange->kernel_ns * kit->cycles_per_ns))));
	return 0;
}

/* One exchange of a line of GPUs, each with its neighbours. Hosts meet so that an event is recorded
 * before it is waited for. */
static int enqueue_exchange(struct member *member, int stream, int i, void *arg)
{
	const struct exchange *exchange = static_cast<const struct exchange *>(arg);
	struct gpu_kit *kit = member->kit;
	cudaStream_t s = kit->stream[stream];
	if (exchange_kernel(member, stream, i, arg))
		return -1;
	CUDA_TRY(member->bench, cudaEventRecord(kit->event[2 * i], s));
	if (member_meet(member))
		return -1;
	for (int side = -1; side <= 1; side += 2) {
		int other = member->index + side;
		if (other < 0 || other >= member->team)
			continue;
		CUDA_TRY(member->bench,
			 cudaStreamWaitEvent(s, member->bench->kit[other].event[2 * i], 0));
		if (enqueue_copy_to(member, other, exchange->bytes))
			return -1;
	}
	CUDA_TRY(member->bench, cudaEventRecord(kit->event[2 * i + 1], s));
	if (member_meet(member))
		return -1;
	for (int side = -1; side <= 1; side += 2) {
		int other = member->index + side;
		if (other >= 0 && other < member->team)
			CUDA_TRY(member->bench,
				 cudaStreamWaitEvent(s, member->bench->kit[other].event[2 * i + 1],
						     0));
	}
	return 0;
}

static int exchange_batch(struct member *member, void *arg, double *value)
{
	struct exchange exchange = *static_cast<const struct exchange *>(arg);
	struct chain with = { enqueue_exchange, &exchange },
		     without = { exchange_kernel, &exchange };
	double with_ns[KIT_STREAMS], without_ns[KIT_STREAMS], sum = 0, only_ns = exchange.kernel_ns;
	int kernels = only_ns > 0 ? 1 : EXCHANGE_KERNELS;
	for (int k = 0; k < kernels; k++) {
		exchange.kernel_ns = only_ns > 0 ? only_ns : exchange_kernel_ns[k];
		if (chains_run(member, &without, 1, EXCHANGES, without_ns) ||
		    chains_run(member, &with, 1, EXCHANGES, with_ns))
			return -1;
		sum += (with_ns[0] - without_ns[0]) / EXCHANGES;
	}
	*value = sum / kernels;
	return 0;
}

int calibrate_exchange(struct bench *bench)
{
	double bytes[LOOP_SIZES];
	struct measured all[LOOP_SIZES];
	if (bench->gpus < 2)
		return 0;
	for (int i = 0; i < LOOP_SIZES; i++)
		bytes[i] = static_cast<double>(loop_sizes[i]);
	for (int k = 0; k < EXCHANGE_KERNELS; k++) {
		struct exchange exchange = { TERM_EXCHANGE_BYTES, exchange_kernel_ns[k] };
		if (bench_measure(bench, 2, "stream.exchange_of_kernel_ns", exchange.kernel_ns,
				  exchange_batch, &exchange, &all[k]))
			return -1;
	}
	bench_emit(bench, "stream.exchange_kernel_ns", exchange_kernel_ns, NULL, EXCHANGE_KERNELS,
		   "kernels between exchanges");
	bench_emit_measured(bench, "stream.exchange_of_kernel_ns", all, EXCHANGE_KERNELS,
			    "as exchange_ns, 64 KiB, by the kernel before it");
	bench_emit(bench, "stream.exchange_bytes", bytes, NULL, LOOP_SIZES,
		   "payload to each neighbour");
	for (int n = 0; n < bench->counts; n++) {
		char key[64];
		int team = bench->count[n];
		if (team < 2)
			continue;
		snprintf(key, sizeof(key),
			 team == 2 ? "stream.exchange_ns" : "stream.exchange_ns_%d", team);
		bench_progress(bench, key);
		for (int i = 0; i < LOOP_SIZES; i++) {
			struct exchange exchange = { loop_sizes[i], 0 };
			if (bench_measure(bench, team, key, bytes[i], exchange_batch, &exchange,
					  &all[i]))
				return -1;
		}
		bench_emit_measured(
			bench, key, all, LOOP_SIZES,
			"a line of that many GPUs in step, enqueued ahead: kernel (2.5 to 17 us, "
			"mean), record, neighbours' records awaited, copies to "
			"them, record, neighbours' awaited; less the kernels alone");
	}
	return 0;
}
