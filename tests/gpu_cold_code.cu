/* SPDX-License-Identifier: MIT
 * What a launch takes longer when its code is not in the multiprocessors' caches, or not in L2
 * either: straight code of several lengths, gone through once by one warp a multiprocessor,
 * launched into a stream and from a graph, behind a copy of so many megabytes
 * (docs/lab/kernels.md).
 *
 *     gpu_cold_code       a table: way, MB copied before, KB of code, us of a launch more than
 * of an empty kernel in the same place, cycles within the kernel (median and most of its blocks)
 */
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "straight_code.cuh"

enum { BLOCKS = 132, PAIRS = 20, REPEATS = 9 };

__global__ void sweep(const float4 *from, float4 *to, size_t n)
{
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		to[i] = from[i];
}

typedef void (*code_kernel)(float *, long long *, int, float, float);

static struct {
	float *out;
	long long *cycles;
	float4 *from, *to;
	cudaStream_t stream;
	cudaEvent_t begin, end;
} d;

static void enqueue(code_kernel k, size_t bytes)
{
	for (int i = 0; i < PAIRS; i++) {
		if (bytes)
			sweep<<<BLOCKS * 8, 256, 0, d.stream>>>(d.from, d.to,
								bytes / 2 / sizeof(float4));
		k<<<BLOCKS, 32, 0, d.stream>>>(d.out, d.cycles, 1, 1.5f, 0.25f);
	}
}

/* us of a pair of launches */
static double timed(code_kernel k, size_t bytes, bool graphed)
{
	cudaGraph_t graph;
	cudaGraphExec_t ready = NULL;
	std::vector<float> ms;

	if (graphed) {
		TRY(cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeGlobal));
		enqueue(k, bytes);
		TRY(cudaStreamEndCapture(d.stream, &graph));
		TRY(cudaGraphInstantiate(&ready, graph, 0));
	}
	for (int i = 0; i <= REPEATS; i++) {
		float took;
		/* The queue is full before the first begins, so that no launch waits for the host.
		 */
		sweep<<<BLOCKS * 8, 256, 0, d.stream>>>(d.from, d.to,
							(400u << 20) / sizeof(float4));
		TRY(cudaEventRecord(d.begin, d.stream));
		if (graphed)
			TRY(cudaGraphLaunch(ready, d.stream));
		else
			enqueue(k, bytes);
		TRY(cudaEventRecord(d.end, d.stream));
		TRY(cudaEventSynchronize(d.end));
		TRY(cudaEventElapsedTime(&took, d.begin, d.end));
		if (i)
			ms.push_back(took);
	}
	if (graphed) {
		TRY(cudaGraphExecDestroy(ready));
		TRY(cudaGraphDestroy(graph));
	}
	std::sort(ms.begin(), ms.end());
	return (double)ms[ms.size() / 2] * 1e3 / PAIRS;
}

int main(void)
{
	static const struct {
		int kb;
		code_kernel kernel;
	} codes[] = { { 0, straight<0> },     { 4, straight<256> },   { 8, straight<512> },
		      { 16, straight<1024> }, { 32, straight<2048> }, { 64, straight<4096> },
		      { 128, straight<8192> } };
	static const int sweeps_mb[] = { 0, 16, 32, 48, 64, 96, 128, 256 };
	std::vector<long long> cycles(BLOCKS);

	TRY(cudaMalloc(&d.out, 4));
	TRY(cudaMalloc(&d.cycles, BLOCKS * sizeof(long long)));
	TRY(cudaMalloc(&d.from, 400u << 20));
	TRY(cudaMalloc(&d.to, 400u << 20));
	TRY(cudaMemset(d.from, 0, 400u << 20));
	TRY(cudaStreamCreate(&d.stream));
	TRY(cudaEventCreate(&d.begin));
	TRY(cudaEventCreate(&d.end));
	printf("way\tcopied_mb\tcode_kb\tus_more\tcycles\tmost_cycles\n");
	for (int graphed = 0; graphed < 2; graphed++)
		for (int mb : sweeps_mb) {
			const size_t bytes = (size_t)mb << 20;
			double empty = 0;
			for (const auto &c : codes) {
				const double us = timed(c.kernel, bytes, graphed);
				if (!c.kb)
					empty = us;
				TRY(cudaMemcpy(cycles.data(), d.cycles, BLOCKS * sizeof(long long),
					       cudaMemcpyDeviceToHost));
				std::sort(cycles.begin(), cycles.end());
				printf("%s\t%d\t%d\t%.3f\t%lld\t%lld\n",
				       graphed ? "graph" : "stream", mb, c.kb,
				       c.kb ? us - empty : us, cycles[BLOCKS / 2],
				       cycles[BLOCKS - 1]);
			}
		}
	return 0;
}
