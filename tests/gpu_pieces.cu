/* SPDX-License-Identifier: MIT
 * What short launches take when each works on the next piece of a large array, whose pages and
 * lines the launches before it have not touched (docs/lab/kernels.md).
 *
 *     gpu_pieces          tables: copies of a piece a launch, 16 B a thread and several a thread,
 * over the same piece, over 24 MB and over 1 GB, us a launch and cycles until a block has its first
 * data; then reads that wait for each other, one a page of 2 MB, ns each, by one block and by all
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "graph_time.cuh"

enum { LAUNCHES = 192, THREADS = 128, MOST_BLOCKS = 1 << 17, STEPS = 2048 };
static const size_t ARRAY_BYTES = (size_t)1 << 30, PAGE_BYTES = (size_t)2 << 20;

struct words {
	uint64_t low, high;
};

/* A thread copies EACH times 16 B; the first thread of a block notes when it had its data. */
template <int EACH, bool STORES>
__global__ void piece(const words *from, words *to, unsigned *cycles)
{
	const long long begin = clock64();
	const size_t at = (size_t)blockIdx.x * THREADS * EACH + threadIdx.x;
	words w[EACH];
#pragma unroll
	for (int i = 0; i < EACH; i++)
		w[i] = from[at + (size_t)i * THREADS];
	uint64_t sum = 0;
#pragma unroll
	for (int i = 0; i < EACH; i++) {
		sum += w[i].low ^ w[i].high;
		if (STORES)
			to[at + (size_t)i * THREADS] = w[i];
	}
	if (!threadIdx.x)
		cycles[blockIdx.x] = (unsigned)(clock64() - begin);
	if (!STORES && sum == 1)
		to[at] = w[0];
}

typedef void (*piece_kernel)(const words *, words *, unsigned *);

/* Every block goes through the same pages, one line a page, each read waiting for the one before.
 */
__global__ void chase(const uint64_t *next, int steps, unsigned *cycles)
{
	uint64_t at = 0;
	for (int i = 0; i < steps / 4; i++) /* warm: lines in L2 */
		at = __ldcg(next + at);
	const long long begin = clock64();
	for (int i = 0; i < steps; i++)
		at = __ldcg(next + at);
	const long long end = clock64();
	cycles[blockIdx.x] = (unsigned)((end - begin) / steps) + (at == 1);
}

static struct {
	char *from, *to;
	unsigned *cycles;
} d;

static void pieces(const char *name, piece_kernel kernel, int each, size_t bytes, size_t over)
{
	const size_t a_block = (size_t)THREADS * each * sizeof(words);
	const unsigned blocks = (unsigned)(bytes / 2 / a_block);
	const size_t count = over / bytes ? over / bytes : 1;
	std::vector<unsigned> cycles(blocks);
	const double us = graph_us([&](cudaStream_t stream) {
		for (size_t i = 0; i < LAUNCHES; i++)
			kernel<<<blocks, THREADS, 0, stream>>>(
				(const words *)(d.from + i % count * (bytes / 2)),
				(words *)(d.to + i % count * (bytes / 2)), d.cycles);
	});
	TRY(cudaMemcpy(cycles.data(), d.cycles, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
	std::sort(cycles.begin(), cycles.end());
	printf("%s\t%d\t%.3f\t%zu\t%u\t%.3f\t%u\t%u\n", name, each, (double)bytes / 1e6, over >> 20,
	       blocks, us / LAUNCHES, cycles[blocks / 2], cycles[blocks - 1]);
}

static void chases(int pages, int blocks)
{
	std::vector<unsigned> cycles((size_t)blocks);
	/* A line of each page, each in another set; one round through all in random order. */
	auto word = [](int page) {
		return ((size_t)page * PAGE_BYTES + (size_t)(page % 16384) * 128) / 8;
	};
	std::vector<int> order((size_t)pages);
	for (int i = 0; i < pages; i++)
		order[(size_t)i] = i;
	std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
	for (int i = 0; i < pages; i++) {
		const uint64_t value = word(order[(size_t)((i + 1) % pages)]);
		TRY(cudaMemcpy(d.from + word(order[(size_t)i]) * 8, &value, sizeof(value),
			       cudaMemcpyHostToDevice));
	}
	for (int i = 0; i < 2; i++)
		chase<<<(unsigned)blocks, 1>>>((const uint64_t *)d.from, STEPS, d.cycles);
	TRY(cudaMemcpy(cycles.data(), d.cycles, (size_t)blocks * sizeof(unsigned),
		       cudaMemcpyDeviceToHost));
	std::sort(cycles.begin(), cycles.end());
	printf("%d\t%d\t%u\t%u\n", pages, blocks, cycles[(size_t)blocks / 2],
	       cycles[(size_t)blocks - 1]);
}

int main(void)
{
	static const struct {
		const char *name;
		piece_kernel kernel;
		int each;
	} kinds[] = { { "copy", piece<1, true>, 1 },
		      { "copy", piece<8, true>, 8 },
		      { "read", piece<1, false>, 1 },
		      { "read", piece<8, false>, 8 } };
	TRY(cudaMalloc(&d.from, ARRAY_BYTES));
	TRY(cudaMalloc(&d.to, ARRAY_BYTES));
	TRY(cudaMalloc(&d.cycles, MOST_BLOCKS * sizeof(unsigned)));
	TRY(cudaMemset(d.from, 0, ARRAY_BYTES));
	TRY(cudaMemset(d.to, 0, ARRAY_BYTES));
	printf("kind\teach\tMB\tover_MB\tblocks\tus\tfirst_cycles\tmost_cycles\n");
	for (const auto &kind : kinds)
		for (size_t mb = 1; mb <= 64; mb *= 2)
			for (size_t over : { (size_t)1, (size_t)24, (size_t)192, (size_t)1024 })
				if (over == 1 || over >= mb)
					pieces(kind.name, kind.kernel, kind.each, mb << 20,
					       over << 20);
	printf("pages\tblocks\tcycles\tmost_cycles\n");
	for (int blocks : { 1, 132 })
		for (int pages = 1; pages <= 512; pages *= 2)
			for (int more : { 2, 3 }) /* halves of 2, 3, 4, 6, 8, 12 ... */
				if (pages * more / 2 <= 512)
					chases(pages * more / 2, blocks);
	return 0;
}
