/* SPDX-License-Identifier: MIT
 * How far multiprocessors that run the same blocks are apart (docs/model-gpu.md, phases apart).
 * Blocks fetch from DRAM and then compute, in turns. In step, all fetch at once, and memory rests
 * while all compute; apart, one fetches while others compute.
 *
 *     gpu_phases            a table: blocks that a multiprocessor has at once, KB that a block
 *                           fetches in a round, cycles that it computes, whether a round is a block
 *                           of its own (wave) or of a loop; us of a round in the first eight and in
 *                           the last; us that multiprocessors are apart (standard deviation of when
 *                           they begin a round) in rounds 0, 1, 2, 4, 8, 16, 32
 *     gpu_phases BLOCKS KB CYCLES wave|loop
 *                           three launches of a row of it, to be recorded or counted
 *
 * Medians of seven launches.
 */
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { THREADS = 256, AT_ONCE = 8, ROUNDS = 48, REPEATS = 7, EDGE = 8 };
enum { PIECE_BYTES = THREADS * AT_ONCE * 16 };
static const size_t DRAM_BYTES = (size_t)4 << 30;

struct note {
	unsigned long long begin_ns;
	unsigned multiprocessor;
};

static struct {
	const float4 *from;
	float *sink;
	note *notes;
	cudaEvent_t begin, end;
	int multiprocessors;
} d;

__device__ static unsigned long long gpu_ns()
{
	unsigned long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

__device__ static unsigned multiprocessor()
{
	unsigned id;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
	return id;
}

/* Round r of block b is of piece (r * gridDim.x + b), of so many units of PIECE_BYTES. */
__global__ void __launch_bounds__(THREADS)
	phases(const float4 *from, int rounds, int units, int chain, note *notes, float *sink)
{
	float sum = 0;

	for (int r = 0; r < rounds; r++) {
		const size_t piece = (size_t)r * gridDim.x + blockIdx.x;
		const float4 *at = from + piece * units * THREADS * AT_ONCE + threadIdx.x;

		if (threadIdx.x == 0)
			notes[piece] = { gpu_ns(), multiprocessor() };
		for (int u = 0; u < units; u++) {
			float4 v[AT_ONCE];

#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				v[i] = at[(u * AT_ONCE + i) * THREADS];
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				sum += v[i].x + v[i].w;
		}
		__syncthreads();
#pragma unroll 8
		for (int c = 0; c < chain; c++)
			sum = fmaf(sum, 0.999f, 0.5f);
		__syncthreads();
	}
	if (sum == 1.2345f)
		*sink = sum;
}

struct row {
	int blocks, kb, cycles;
	bool wave;
};

static float once(const row *r)
{
	const int all = r->blocks * d.multiprocessors, units = r->kb * 1024 / PIECE_BYTES;
	const size_t shared = (size_t)(200 << 10) / r->blocks;
	float ms;

	TRY(cudaFuncSetAttribute(phases, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
	TRY(cudaEventRecord(d.begin));
	phases<<<r->wave ? all * ROUNDS : all, THREADS, shared>>>(
		d.from, r->wave ? 1 : ROUNDS, units, r->cycles / 4, d.notes, d.sink);
	TRY(cudaGetLastError());
	TRY(cudaEventRecord(d.end));
	TRY(cudaEventSynchronize(d.end));
	TRY(cudaEventElapsedTime(&ms, d.begin, d.end));
	return ms;
}

/* When each multiprocessor began each round of one of its places, us; blocks come in order. */
static std::vector<std::vector<double>> rounds_of(const row *r)
{
	const int all = r->blocks * d.multiprocessors;
	std::vector<note> h(all * ROUNDS);
	std::vector<std::vector<double>> began(d.multiprocessors);
	unsigned long long first = ~0ull;

	TRY(cudaMemcpy(h.data(), d.notes, h.size() * sizeof(note), cudaMemcpyDeviceToHost));
	for (const note &n : h)
		first = std::min(first, n.begin_ns);
	for (const note &n : h)
		if (n.multiprocessor < began.size())
			began[n.multiprocessor].push_back((double)(n.begin_ns - first) * 1e-3);
	for (auto &b : began)
		std::sort(b.begin(), b.end());
	return began;
}

static double apart(const std::vector<std::vector<double>> &began, size_t n)
{
	double sum = 0, squares = 0, count = 0;

	for (const auto &b : began)
		if (n < b.size()) {
			sum += b[n];
			squares += b[n] * b[n];
			count++;
		}
	return count > 0 ? sqrt(fmax(squares / count - sum * sum / count / count, 0)) : 0;
}

static double mean_of(const std::vector<std::vector<double>> &began, size_t n)
{
	double sum = 0, count = 0;

	for (const auto &b : began)
		if (n < b.size()) {
			sum += b[n];
			count++;
		}
	return count > 0 ? sum / count : 0;
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v[v.size() / 2];
}

static void say(const row *r)
{
	static const int at[] = { 0, 1, 2, 4, 8, 16, 32 };
	enum { AT = sizeof(at) / sizeof(*at) };
	std::vector<double> ms, early, late, sd[AT];

	once(r);
	for (int k = 0; k < REPEATS; k++) {
		ms.push_back(once(r));
		const auto began = rounds_of(r);
		const size_t n = r->blocks; /* rounds of all places come one after the other */

		early.push_back((mean_of(began, EDGE * n) - mean_of(began, 0)) / EDGE);
		late.push_back((mean_of(began, (ROUNDS - 1) * n) -
				mean_of(began, (ROUNDS - 1 - EDGE) * n)) /
			       EDGE);
		for (int i = 0; i < AT; i++)
			sd[i].push_back(apart(began, at[i] * n));
	}
	printf("%d\t%d\t%d\t%s\t%.3f\t%.3f\t%.3f", r->blocks, r->kb, r->cycles,
	       r->wave ? "wave" : "loop", 1000 * median(ms) / ROUNDS, median(early), median(late));
	for (int i = 0; i < AT; i++)
		printf("\t%.3f", median(sd[i]));
	printf("\n");
}

int main(int argc, char **argv)
{
	static const int blocks[] = { 1, 2, 4 }, kb[] = { 32, 64, 128 },
			 cycles[] = { 0, 1000, 2000, 4000, 8000 };
	cudaDeviceProp of;

	if (argc != 1 && argc != 5) {
		fprintf(stderr, "usage: gpu_phases [BLOCKS KB CYCLES wave|loop]\n");
		return 2;
	}
	TRY(cudaGetDeviceProperties(&of, 0));
	d.multiprocessors = of.multiProcessorCount;
	TRY(cudaMalloc((void **)&d.from, DRAM_BYTES));
	TRY(cudaMemset((void *)d.from, 0, DRAM_BYTES));
	TRY(cudaMalloc(&d.sink, sizeof(*d.sink)));
	TRY(cudaMalloc(&d.notes, 4 * ROUNDS * d.multiprocessors * sizeof(*d.notes)));
	TRY(cudaEventCreate(&d.begin));
	TRY(cudaEventCreate(&d.end));
	if (argc == 5) {
		const row r = { atoi(argv[1]), atoi(argv[2]), atoi(argv[3]),
				!strcmp(argv[4], "wave") };

		if (r.blocks < 1 || r.blocks > 4 || r.kb < 32 || r.kb > 128 || r.cycles < 0) {
			fprintf(stderr, "gpu_phases: 1 to 4 blocks, 32 to 128 KB\n");
			return 2;
		}
		for (int k = 0; k < 3; k++)
			once(&r);
		return 0;
	}
	printf("blocks\tkb\tcycles\tkind\tround\tearly\tlate\tapart0\tapart1\tapart2\tapart4\tapart"
	       "8"
	       "\tapart16\tapart32\n");
	for (int b : blocks)
		for (int k : kb)
			for (int c : cycles)
				for (int wave = 0; wave < 2; wave++) {
					const row r = { b, k, c, wave != 0 };
					if ((size_t)b * d.multiprocessors * ROUNDS * k * 1024 <=
					    DRAM_BYTES)
						say(&r);
				}
	return 0;
}
