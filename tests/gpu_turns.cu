/* SPDX-License-Identifier: MIT
 * What a launch pays for code that another kernel's launch came after: straight code of several
 * lengths, launched again and again, in turn with as long another kernel, and behind a kernel that
 * goes over memory; into a stream and as nodes of a graph (docs/lab/kernels.md).
 *
 *     gpu_turns [TURNS]       a table: cycles are of the code alone, taken in the kernel (median of
 *                             the multiprocessors, mean of the turns); turn_ns is of a whole turn
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(call)                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "gpu_turns: %s: %s\n", #call, cudaGetErrorString(error_)); \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* WHICH makes the code of A and B two functions. */
template <int INSTRUCTIONS, int WHICH>
__global__ void straight(float *out, unsigned long long *cycles, float a, float b)
{
	float x[4] = { a, b, a + WHICH + 1, b + 1 };
	const long long begin = clock64();

#pragma unroll
	for (int i = 0; i < INSTRUCTIONS; i++)
		asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i & 3]) : "f"(a), "f"(b));
	const long long end = clock64();
	if (threadIdx.x == 0)
		atomicAdd(cycles + blockIdx.x, (unsigned long long)(end - begin));
	if (x[0] + x[1] + x[2] + x[3] == 12345.0f)
		out[0] = WHICH;
}

__global__ void sweep(float4 *x, size_t count, bool writes)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x) {
		float4 v = x[i];
		v.x += 1;
		if (writes || v.y == 12345.0f)
			x[i] = v;
	}
}

__global__ void spin(long long cycles)
{
	const long long begin = clock64();

	while (clock64() - begin < cycles)
		;
}

struct bench {
	cudaStream_t stream;
	cudaEvent_t begin, end;
	int multiprocessors, turns;
	float *d_out;
	unsigned long long *d_cycles;
	float4 *d_swept;
};

enum { SWEPT_MOST_BYTES = 128 << 20 };

/* What lies between two launches of straight code. */
struct between {
	const char *name;
	size_t bytes;
	bool writes;
};

static const struct between BETWEENS[] = {
	{ "nothing", 0, false },
	{ "8_mib_written", 8 << 20, true },
	{ "128_mib_read", SWEPT_MOST_BYTES, false },
	{ "128_mib_written", SWEPT_MOST_BYTES, true },
};

template <int N>
static void turns(const struct bench *b, bool two, const struct between *between, int threads)
{
	for (int k = 0; k < b->turns; k++) {
		if (two && k % 2)
			straight<N, 1><<<b->multiprocessors, threads, 0, b->stream>>>(
				b->d_out, b->d_cycles, 1.5f, 0.25f);
		else
			straight<N, 0><<<b->multiprocessors, threads, 0, b->stream>>>(
				b->d_out, b->d_cycles, 1.5f, 0.25f);
		if (between->bytes)
			sweep<<<b->multiprocessors * 4, 512, 0, b->stream>>>(
				b->d_swept, between->bytes / sizeof(float4), between->writes);
	}
}

/* The host is ahead of the device: all is queued behind a kernel that spins. */
template <int N>
static void row(const struct bench *b, bool graph, bool two, const struct between *between,
		int threads)
{
	cudaGraphExec_t exec = NULL;
	std::vector<unsigned long long> h(b->multiprocessors);
	float best_ms = 1e9f;

	if (graph) {
		cudaGraph_t g;
		CUDA(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeGlobal));
		turns<N>(b, two, between, threads);
		CUDA(cudaStreamEndCapture(b->stream, &g));
		CUDA(cudaGraphInstantiate(&exec, g, 0));
		CUDA(cudaGraphDestroy(g));
	}
	for (int repeat = 0; repeat < 4; repeat++) {
		float ms;
		CUDA(cudaMemsetAsync(b->d_cycles, 0, h.size() * sizeof(h[0]), b->stream));
		spin<<<1, 1, 0, b->stream>>>(3000000);
		CUDA(cudaEventRecord(b->begin, b->stream));
		if (graph)
			CUDA(cudaGraphLaunch(exec, b->stream));
		else
			turns<N>(b, two, between, threads);
		CUDA(cudaEventRecord(b->end, b->stream));
		CUDA(cudaStreamSynchronize(b->stream));
		CUDA(cudaEventElapsedTime(&ms, b->begin, b->end));
		if (repeat)
			best_ms = std::min(best_ms, ms);
	}
	CUDA(cudaMemcpy(h.data(), b->d_cycles, h.size() * sizeof(h[0]), cudaMemcpyDeviceToHost));
	std::sort(h.begin(), h.end());
	printf("%s\t%s\t%s\t%d\t%.2f\t%.1f\t%.1f\t%.1f\n", graph ? "graph" : "stream",
	       two ? "in-turn" : "alone", between->name, threads, N * 16 / 1024.0,
	       (double)h[h.size() / 2] / b->turns, (double)h.back() / b->turns,
	       best_ms * 1e6 / b->turns);
	if (exec)
		CUDA(cudaGraphExecDestroy(exec));
}

template <int N> static void all(const struct bench *b)
{
	for (int threads = 32; threads <= 256; threads *= 8)
		for (size_t s = 0; s < sizeof(BETWEENS) / sizeof(BETWEENS[0]); s++)
			for (int two = 0; two < 2; two++)
				for (int graph = 0; graph < 2; graph++)
					row<N>(b, graph, two, &BETWEENS[s], threads);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct bench b = {};
	cudaDeviceProp p;

	b.turns = argc > 1 ? atoi(argv[1]) : 100;
	CUDA(cudaGetDeviceProperties(&p, 0));
	b.multiprocessors = p.multiProcessorCount;
	CUDA(cudaStreamCreate(&b.stream));
	CUDA(cudaEventCreate(&b.begin));
	CUDA(cudaEventCreate(&b.end));
	CUDA(cudaMalloc(&b.d_out, sizeof(float)));
	CUDA(cudaMalloc(&b.d_cycles, sizeof(b.d_cycles[0]) * b.multiprocessors));
	CUDA(cudaMalloc(&b.d_swept, SWEPT_MOST_BYTES));
	CUDA(cudaMemset(b.d_swept, 0, SWEPT_MOST_BYTES));
	printf("# %s\n", p.name);
	printf("way\torder\tbetween\tthreads\tcode_kib\tcycles\tcycles_most\tturn_ns\n");
	all<32>(&b);
	all<256>(&b);
	all<512>(&b);
	all<1024>(&b);
	all<2048>(&b);
	all<4096>(&b);
	return 0;
}
