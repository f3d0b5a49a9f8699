/* SPDX-License-Identifier: MIT
 * What launches gain by being in several streams (docs/model-host.md, kernels of several streams):
 * equal launches of parts of a wave up to several, one after the other in each stream, all of them
 * queued before the first begins. Beside it one launch of all their blocks.
 *
 *     gpu_streams        a table: kind, waves of a launch, streams, us a launch, us of its share of
 *                        one launch of all
 *     gpu_streams stamps the blocks of the last launches by the GPU's clock: kind, waves, streams,
 *                        stream, launch, its first and last block's begin and end, us since the
 *                        first of them
 *
 * Kinds: compute (a chain of operations on what is read), memory (from and to DRAM), both (a chain
 * as long as the transfer). Medians of nine.
 */
#include <algorithm>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum {
	THREADS = 128,
	EACH = 16,	      /* elements a thread */
	A_MULTIPROCESSOR = 3, /* blocks, by their shared memory */
	SHARED_BYTES = 72 << 10,
	STREAMS = 8,
	LAUNCHES = 48,
	LAST = 12, /* launches whose stamps are said */
	REPEATS = 9
};

static const struct kind {
	const char *name;
	int chain; /* operations between reading and writing */
	bool far;  /* each launch has its own data, which no cache holds */
} kinds[] = { { "compute", 2000, false }, { "memory", 0, true }, { "both", 600, true } };

struct stamp {
	unsigned long long begin_ns, end_ns;
};

static struct {
	double *from, *to;
	size_t elements; /* of each */
	stamp *stamps;	 /* LAUNCHES x most blocks */
	size_t most;	 /* blocks of a launch */
	cudaStream_t stream[STREAMS];
	cudaEvent_t gate, done[STREAMS], begin, end;
	int wave; /* blocks that the GPU holds at once */
} d;

__device__ static unsigned long long gpu_ns()
{
	unsigned long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* Holds a stream until the host has queued what is behind it. */
__global__ void hold(unsigned long long ns)
{
	const unsigned long long until = gpu_ns() + ns;

	while (gpu_ns() < until)
		;
}

__global__ void __launch_bounds__(THREADS)
	work(const double *from, double *to, int chain, stamp *stamps)
{
	const size_t at = (size_t)blockIdx.x * THREADS * EACH + threadIdx.x;
	const unsigned long long begin_ns = gpu_ns();
	double r[EACH];

#pragma unroll
	for (int i = 0; i < EACH; i++)
		r[i] = from[at + i * THREADS];
	for (int k = 0; k < chain; k++)
#pragma unroll
		for (int i = 0; i < EACH; i += 4)
			r[i] = r[i] * 0.999 + r[i + 1];
#pragma unroll
	for (int i = 0; i < EACH; i++)
		to[at + i * THREADS] = r[i];
	__syncthreads();
	if (threadIdx.x == 0)
		stamps[blockIdx.x] = { begin_ns, gpu_ns() };
}

/* `launches` of so many blocks, in turn in as many streams, behind one gate. */
static float once(const kind *k, size_t blocks, int streams, int launches)
{
	float ms;

	hold<<<1, 1, 0, d.stream[0]>>>(2000000);
	TRY(cudaEventRecord(d.begin, d.stream[0]));
	for (int s = 1; s < streams; s++)
		TRY(cudaStreamWaitEvent(d.stream[s], d.begin, 0));
	for (int n = 0; n < launches; n++) {
		const size_t windows = d.elements / (blocks * THREADS * EACH),
			     at = k->far ? (size_t)n % windows * blocks * THREADS * EACH : 0;

		work<<<(unsigned)blocks, THREADS, SHARED_BYTES, d.stream[n % streams]>>>(
			d.from + at, d.to + at, k->chain, d.stamps + (size_t)n * d.most);
	}
	TRY(cudaGetLastError());
	for (int s = 1; s < streams; s++) {
		TRY(cudaEventRecord(d.done[s], d.stream[s]));
		TRY(cudaStreamWaitEvent(d.stream[0], d.done[s], 0));
	}
	TRY(cudaEventRecord(d.end, d.stream[0]));
	TRY(cudaEventSynchronize(d.end));
	TRY(cudaEventElapsedTime(&ms, d.begin, d.end));
	return ms;
}

static double us_of(const kind *k, size_t blocks, int streams, int launches)
{
	std::vector<float> ms;

	once(k, blocks, streams, launches);
	for (int i = 0; i < REPEATS; i++)
		ms.push_back(once(k, blocks, streams, launches));
	std::sort(ms.begin(), ms.end());
	return 1000 * ms[REPEATS / 2];
}

static void say_stamps(const kind *k, double waves, size_t blocks, int streams)
{
	std::vector<stamp> h_stamps(LAUNCHES * d.most);
	unsigned long long first = ~0ull;

	once(k, blocks, streams, LAUNCHES); /* the first warms up */
	once(k, blocks, streams, LAUNCHES);
	TRY(cudaMemcpy(h_stamps.data(), d.stamps, h_stamps.size() * sizeof(stamp),
		       cudaMemcpyDeviceToHost));
	for (int turn = 0; turn < 2; turn++)
		for (int n = LAUNCHES - LAST; n < LAUNCHES; n++) {
			const stamp *s = h_stamps.data() + (size_t)n * d.most;
			unsigned long long at[4] = { ~0ull, 0, ~0ull, 0 };

			for (size_t b = 0; b < blocks; b++) {
				at[0] = std::min(at[0], s[b].begin_ns);
				at[1] = std::max(at[1], s[b].begin_ns);
				at[2] = std::min(at[2], s[b].end_ns);
				at[3] = std::max(at[3], s[b].end_ns);
			}
			first = std::min(first, at[0]);
			if (turn)
				printf("%s\t%.2f\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", k->name,
				       waves, streams, n % streams, n,
				       1e-3 * (double)(at[0] - first),
				       1e-3 * (double)(at[1] - first),
				       1e-3 * (double)(at[2] - first),
				       1e-3 * (double)(at[3] - first));
		}
}

static void make(double most_waves)
{
	cudaDeviceProp p;
	int a_multiprocessor;

	TRY(cudaGetDeviceProperties(&p, 0));
	TRY(cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, work, THREADS,
							  SHARED_BYTES));
	if (a_multiprocessor != A_MULTIPROCESSOR)
		fprintf(stderr, "gpu_streams: a multiprocessor holds %d blocks, not %d\n",
			a_multiprocessor, A_MULTIPROCESSOR);
	d.wave = a_multiprocessor * p.multiProcessorCount;
	d.most = (size_t)(most_waves * d.wave + 0.5);
	d.elements = d.most * LAUNCHES * THREADS * EACH;
	TRY(cudaMalloc(&d.from, d.elements * sizeof(double)));
	TRY(cudaMalloc(&d.to, d.elements * sizeof(double)));
	TRY(cudaMemset(d.from, 0, d.elements * sizeof(double)));
	TRY(cudaMalloc(&d.stamps, LAUNCHES * d.most * sizeof(stamp)));
	for (int s = 0; s < STREAMS; s++) {
		TRY(cudaStreamCreateWithFlags(&d.stream[s], cudaStreamNonBlocking));
		TRY(cudaEventCreateWithFlags(&d.done[s], cudaEventDisableTiming));
	}
	TRY(cudaEventCreate(&d.begin));
	TRY(cudaEventCreate(&d.end));
	fprintf(stderr, "%s: %d blocks of %d threads are a wave\n", p.name, d.wave, THREADS);
}

int main(int argc, char **argv)
{
	static const double waves[] = { 0.25, 0.5, 0.63, 1, 1.5, 3 };
	static const int streams[] = { 1, 2, 3, 4, 8 };
	const bool stamps = argc > 1 && !strcmp(argv[1], "stamps");

	make(3);
	if (!stamps)
		printf("kind\twaves\tstreams\tlaunch_us\tshare_us\n");
	for (const kind &k : kinds)
		for (double w : waves) {
			const size_t blocks = (size_t)(w * d.wave + 0.5);
			const double all = stamps ? 0 : us_of(&k, LAUNCHES * blocks, 1, 1);

			for (int n : streams)
				if (stamps)
					say_stamps(&k, w, blocks, n);
				else
					printf("%s\t%.2f\t%d\t%.3f\t%.3f\n", k.name, w, n,
					       us_of(&k, blocks, n, LAUNCHES) / LAUNCHES,
					       all / LAUNCHES);
		}
	return 0;
}
