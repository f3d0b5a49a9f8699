/* SPDX-License-Identifier: MIT
 * What a step of a solver costs that computes nothing: an empty kernel launched into a stream, the
 * same as a node of a graph, and a cg::grid.sync() of a cooperative kernel that does nothing else.
 * Medians, one line each, in microseconds a step:
 *
 *     step  blocks  threads  us
 *
 * `run` is what a graph of them takes once, from the call that launches it to the return of the one
 * that waits, beside its steps.
 */
#include <algorithm>
#include <chrono>
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_try.h"

enum { REPEATS = 21, STEPS = 500 };

static __global__ void empty_kernel()
{
}

static __global__ void sync_kernel(int steps)
{
	for (int k = 0; k < steps; k++)
		cooperative_groups::this_grid().sync();
}

template <typename Work> static double median_us(cudaStream_t stream, Work work)
{
	cudaEvent_t begin, end;
	float ms[REPEATS];

	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int i = 0; i < 3; i++)
		work();
	for (int i = 0; i < REPEATS; i++) {
		TRY(cudaEventRecord(begin, stream));
		work();
		TRY(cudaEventRecord(end, stream));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms[i], begin, end));
	}
	std::sort(ms, ms + REPEATS);
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	return 1e3 * ms[REPEATS / 2];
}

static void launches(cudaStream_t stream, int blocks, int threads)
{
	for (int k = 0; k < STEPS; k++)
		empty_kernel<<<blocks, threads, 0, stream>>>();
}

/* Of STEPS steps less what none of them costs. */
static double sync_us(cudaStream_t stream, int blocks, int threads)
{
	double us[2];

	for (int k = 0; k < 2; k++) {
		int steps = k * STEPS;
		void *args[] = { &steps };
		us[k] = median_us(stream, [&] {
			TRY(cudaLaunchCooperativeKernel(sync_kernel, dim3(blocks), dim3(threads),
							args, 0, stream));
		});
	}
	return (us[1] - us[0]) / STEPS;
}

/* An empty graph of so many steps, on the host's clock. */
static double run_us(cudaStream_t stream, int blocks, int threads, int steps)
{
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	double us[REPEATS];

	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int k = 0; k < steps; k++)
		empty_kernel<<<blocks, threads, 0, stream>>>();
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiateWithFlags(&ready, graph, 0));
	for (int i = -3; i < REPEATS; i++) {
		const auto begin = std::chrono::steady_clock::now();
		TRY(cudaGraphLaunch(ready, stream));
		TRY(cudaStreamSynchronize(stream));
		us[i > 0 ? i : 0] = std::chrono::duration<double, std::micro>(
					    std::chrono::steady_clock::now() - begin)
					    .count();
	}
	TRY(cudaGraphExecDestroy(ready));
	TRY(cudaGraphDestroy(graph));
	std::sort(us, us + REPEATS);
	return us[REPEATS / 2];
}

int main(void)
{
	static const int threads[] = { 32, 256, 512 };
	int sms;
	cudaStream_t stream;

	TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	TRY(cudaStreamCreate(&stream));
	printf("step\tblocks\tthreads\tus\n");
	for (int t : threads) {
		cudaGraph_t graph;
		cudaGraphExec_t ready;

		TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		launches(stream, sms, t);
		TRY(cudaStreamEndCapture(stream, &graph));
		TRY(cudaGraphInstantiateWithFlags(&ready, graph, 0));
		printf("stream\t%d\t%d\t%.3f\n", sms, t,
		       median_us(stream, [&] { launches(stream, sms, t); }) / STEPS);
		printf("graph\t%d\t%d\t%.3f\n", sms, t,
		       median_us(stream, [&] { TRY(cudaGraphLaunch(ready, stream)); }) / STEPS);
		printf("grid.sync\t%d\t%d\t%.3f\n", sms, t, sync_us(stream, sms, t));
		const double few = run_us(stream, sms, t, STEPS / 5),
			     all = run_us(stream, sms, t, STEPS);
		printf("run\t%d\t%d\t%.3f\n", sms, t, few - (all - few) / 4);
		TRY(cudaGraphExecDestroy(ready));
		TRY(cudaGraphDestroy(graph));
	}
	return 0;
}
