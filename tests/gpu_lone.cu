/* SPDX-License-Identifier: MIT
 * What a launch takes that has no more blocks than the GPU holds at once, and finds its data in L2
 * or not (docs/lab/kernels.md, lone launches): two arrays read and one written, by grids of parts
 * of a wave up to several, over windows that go round through so many megabytes. Beside it the same
 * bytes in one launch.
 *
 *     gpu_lone       a table: way, MB gone round through, waves of a launch, us a launch, us of its
 *                    share of one launch over all windows
 *
 * us are medians of nine, of as many launches as there are windows, in a graph or in a stream.
 */
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { THREADS = 128, EACH = 16, REPEATS = 9, LAUNCHES_LEAST = 24 };

static struct {
	double *u, *f, *v;
	size_t elements; /* of each */
	cudaStream_t stream;
	cudaEvent_t begin, end;
	int wave; /* blocks that the GPU holds at once */
} d;

/* A block has EACH elements a thread, which it reads before it writes any. */
__global__ void __launch_bounds__(THREADS) step(const double *u, const double *f, double *v)
{
	const size_t at = (size_t)blockIdx.x * THREADS * EACH + threadIdx.x;
	double r[EACH];

#pragma unroll
	for (int i = 0; i < EACH; i++)
		r[i] = f[at + i * THREADS] - u[at + i * THREADS];
#pragma unroll
	for (int i = 0; i < EACH; i++)
		v[at + i * THREADS] = 0.5 * r[i] + r[(i + 1) % EACH];
}

struct plan {
	size_t blocks;	/* of a launch */
	size_t windows; /* that the memory holds */
	int launches;	/* of a run, windows in turn */
};

static void enqueue(const struct plan *p)
{
	for (int k = 0; k < p->launches; k++) {
		const size_t at = (size_t)k % p->windows * p->blocks * THREADS * EACH;

		step<<<(unsigned)p->blocks, THREADS, 0, d.stream>>>(d.u + at, d.f + at, d.v + at);
	}
	TRY(cudaGetLastError());
}

static double us_of(const struct plan *p, bool graphed)
{
	cudaGraphExec_t ready = NULL;
	cudaGraph_t graph;
	std::vector<float> ms;

	if (graphed) {
		TRY(cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeGlobal));
		enqueue(p);
		TRY(cudaStreamEndCapture(d.stream, &graph));
		TRY(cudaGraphInstantiate(&ready, graph, 0));
	}
	for (int i = 0; i <= REPEATS; i++) {
		float took;

		/* In a stream the queue is full before the first begins. */
		if (!graphed)
			step<<<(unsigned)(d.elements / THREADS / EACH), THREADS, 0, d.stream>>>(
				d.u, d.f, d.v);
		TRY(cudaEventRecord(d.begin, d.stream));
		if (graphed)
			TRY(cudaGraphLaunch(ready, d.stream));
		else
			enqueue(p);
		TRY(cudaEventRecord(d.end, d.stream));
		TRY(cudaEventSynchronize(d.end));
		TRY(cudaEventElapsedTime(&took, d.begin, d.end));
		if (i) /* the first warms up */
			ms.push_back(took);
	}
	if (graphed) {
		TRY(cudaGraphExecDestroy(ready));
		TRY(cudaGraphDestroy(graph));
	}
	std::sort(ms.begin(), ms.end());
	return 1000 * ms[ms.size() / 2] / p->launches;
}

static void row(int megabytes, double waves)
{
	const size_t block_bytes = (size_t)3 * THREADS * EACH * sizeof(double);
	struct plan lone, all;

	lone.blocks = (size_t)(waves * d.wave + 0.5);
	lone.windows = ((size_t)megabytes << 20) / (lone.blocks * block_bytes);
	if (!lone.windows || lone.windows * lone.blocks * THREADS * EACH > d.elements)
		return;
	lone.launches = std::max((int)lone.windows, (int)LAUNCHES_LEAST);
	all.blocks = lone.blocks * lone.windows;
	all.windows = 1;
	all.launches = 4;
	for (int graphed = 0; graphed < 2; graphed++)
		printf("%s\t%d\t%.2f\t%.3f\t%.3f\n", graphed ? "graph" : "stream", megabytes, waves,
		       us_of(&lone, graphed), us_of(&all, graphed) / (double)lone.windows);
}

int main(void)
{
	static const int megabytes[] = { 16, 32, 64, 128, 256, 1024, 4096 };
	static const double waves[] = { 0.25, 0.5, 0.9, 1, 1.1, 2, 4, 11 };
	cudaDeviceProp p;
	int a_multiprocessor;

	TRY(cudaGetDeviceProperties(&p, 0));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, step, THREADS, 0));
	d.wave = a_multiprocessor * p.multiProcessorCount;
	d.elements = ((size_t)4096 << 20) / 3 / sizeof(double) / THREADS / EACH * THREADS * EACH;
	TRY(cudaMalloc(&d.u, d.elements * sizeof(double)));
	TRY(cudaMalloc(&d.f, d.elements * sizeof(double)));
	TRY(cudaMalloc(&d.v, d.elements * sizeof(double)));
	TRY(cudaMemset(d.u, 0, d.elements * sizeof(double)));
	TRY(cudaMemset(d.f, 0, d.elements * sizeof(double)));
	TRY(cudaStreamCreate(&d.stream));
	TRY(cudaEventCreate(&d.begin));
	TRY(cudaEventCreate(&d.end));
	fprintf(stderr, "%s: %d blocks of %d threads are a wave\n", p.name, d.wave, THREADS);
	printf("way\tmegabytes\twaves\tlaunch_us\tshare_us\n");
	for (size_t m = 0; m < sizeof(megabytes) / sizeof(megabytes[0]); m++)
		for (size_t w = 0; w < sizeof(waves) / sizeof(waves[0]); w++)
			row(megabytes[m], waves[w]);
	return 0;
}
