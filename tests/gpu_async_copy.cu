/* SPDX-License-Identifier: MIT
 * What an asynchronous copy into shared memory (LDGSTS) takes of the load/store path and of L2, by
 * where its words come from and go to (docs/model-gpu.md, loads and stores). Counters of it say
 * that a warp's 512 bytes are up to 29 sectors of 32 bytes where 16 hold them.
 *
 *     gpu_async_copy        a table of all kinds: cycles a row of 512 bytes on one multiprocessor,
 *                           whose L2 has the data; beside loads of shared memory; bytes/s of all
 *                           multiprocessors from L2 and from DRAM
 *     gpu_async_copy KIND SHIFT
 *                           one launch of a row of that table from DRAM, to be counted by warpreel
 *                           profile; kinds count from 0
 *
 * Kinds: words of 16 or 4 bytes; rows forward or backward; chunks of 16 bytes straight or changed
 * as in kernel chunked of mlssor; from an address of whole sectors or 16 bytes behind. Medians of
 * seven.
 */
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum {
	ROW_BYTES = 512, /* of a warp */
	AT_ONCE = 16,	 /* rows */
	WARPS = 4,	 /* of a block that copy */
	REPEATS = 7,
	L2_BYTES = 16 << 20,
	NEAR_BYTES = 1 << 18
};
static const size_t DRAM_BYTES = (size_t)1 << 30;

enum way { COPY16, COPY4 };
static const char *const ways[] = { "copy16", "copy4" };

__device__ static uint32_t shared_at(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

/* Where chunk k of 16 bytes goes in a row. */
template <bool CHANGED> __device__ int slot(int k)
{
	return CHANGED ? (k & ~3) | ((k ^ (k >> 3)) & 3) : k;
}

template <int WAY, bool BACKWARD, bool CHANGED> __device__ void row_of(char *to, const char *from)
{
	const int lane = threadIdx.x % 32, source = BACKWARD ? 31 - lane : lane;

	if constexpr (WAY == COPY16) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
				     shared_at(to + 16 * slot<CHANGED>(lane))),
			     "l"(from + 16 * source));
	} else {
#pragma unroll
		for (int k = 0; k < 4; k++)
			asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
					     shared_at(to + 128 * k + 4 * lane)),
				     "l"(from + 128 * k + 4 * source));
	}
}

/* Warps copy `rounds` times AT_ONCE rows each; those from `copiers` on load `loads` rows of shared
 * memory instead. */
template <int WAY, bool BACKWARD, bool CHANGED>
__global__ void rows(const char *from, size_t rows_there, int rounds, int copiers, int loads,
		     long long *cycles, float *sink)
{
	extern __shared__ __align__(16) char region[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	char *mine = region + warp * AT_ONCE * ROW_BYTES;
	const size_t all = (size_t)gridDim.x * copiers, at = (size_t)blockIdx.x * copiers + warp;
	float sum = 0;

	__syncthreads();
	const long long begin = clock64();
	if (warp < copiers)
		for (int r = 0; r < rounds; r++) {
			const size_t first = (r * all + at) * AT_ONCE % rows_there;

#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				row_of<WAY, BACKWARD, CHANGED>(mine + i * ROW_BYTES,
							       from + (first + i) * ROW_BYTES);
			asm volatile("cp.async.wait_all;" ::: "memory");
		}
	else
		for (int n = 0; n < loads; n += AT_ONCE) {
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++) {
				float4 v;

				asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
					     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
					     : "r"(shared_at(mine + i * ROW_BYTES + 16 * lane)));
				sum += v.x + v.w;
			}
		}
	const long long end = clock64();
	if (lane == 0) {
		cycles[blockIdx.x * (blockDim.x / 32) + warp] = end - begin;
		sink[blockIdx.x] = sum;
	}
}

typedef void (*kernel)(const char *, size_t, int, int, int, long long *, float *);
static const struct kind {
	enum way way;
	bool backward, changed;
	kernel run;
} kinds[] = {
	{ COPY16, false, false, rows<COPY16, false, false> },
	{ COPY16, false, true, rows<COPY16, false, true> },
	{ COPY16, true, false, rows<COPY16, true, false> },
	{ COPY16, true, true, rows<COPY16, true, true> },
	{ COPY4, false, false, rows<COPY4, false, false> },
	{ COPY4, true, false, rows<COPY4, true, false> },
};

static struct {
	char *from;
	long long *cycles;
	float *sink;
	cudaEvent_t begin, end;
	int multiprocessors;
} d;

struct setup {
	int blocks, warps, copiers, rounds, loads;
	size_t bytes;
};

static float once(const kind *k, int shift, const setup *s)
{
	const size_t shared = (size_t)s->warps * AT_ONCE * ROW_BYTES;
	float ms;

	TRY(cudaFuncSetAttribute(k->run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
	TRY(cudaEventRecord(d.begin));
	k->run<<<s->blocks, 32 * s->warps, shared>>>(d.from + shift, s->bytes / ROW_BYTES,
						     s->rounds, s->copiers, s->loads, d.cycles,
						     d.sink);
	TRY(cudaGetLastError());
	TRY(cudaEventRecord(d.end));
	TRY(cudaEventSynchronize(d.end));
	TRY(cudaEventElapsedTime(&ms, d.begin, d.end));
	return ms;
}

/* Cycles of the block that `first` to `last` of its warps take. */
static double cycles_of(const kind *k, int shift, const setup *s, int first, int last)
{
	std::vector<long long> each;

	once(k, shift, s);
	for (int i = 0; i < REPEATS; i++) {
		long long h[32], most = 0;

		once(k, shift, s);
		TRY(cudaMemcpy(h, d.cycles, s->warps * sizeof(*h), cudaMemcpyDeviceToHost));
		for (int w = first; w < last; w++)
			most = std::max(most, h[w]);
		each.push_back(most);
	}
	std::sort(each.begin(), each.end());
	return (double)each[REPEATS / 2];
}

static double rate_of(const kind *k, int shift, size_t bytes)
{
	/* 32 KB a block: six a multiprocessor */
	const int blocks = 6 * d.multiprocessors;
	const double a_round = (double)blocks * WARPS * AT_ONCE * ROW_BYTES;
	const setup s = { blocks, WARPS, WARPS, (int)((double)DRAM_BYTES / a_round), 0, bytes };
	std::vector<float> ms;

	once(k, shift, &s);
	for (int i = 0; i < REPEATS; i++)
		ms.push_back(once(k, shift, &s));
	std::sort(ms.begin(), ms.end());
	return a_round * s.rounds / (ms[REPEATS / 2] * 1e-3) * 1e-12;
}

static void table(void)
{
	printf("kind\tbackward\tchanged\tshift\tone_warp\tfour_warps\tloads_alone\tcopies_beside\t"
	       "loads_beside\tl2_tb_s\tdram_tb_s\n");
	for (const kind &k : kinds)
		for (int shift = 0; shift <= 16; shift += 16) {
			const int rounds = 64, loads = 4096;
			const double copied = (double)rounds * AT_ONCE;
			const setup one = { 1, 1, 1, rounds, 0, NEAR_BYTES },
				    four = { 1, 4, 4, rounds, 0, NEAR_BYTES },
				    read = { 1, 4, 0, 0, loads, NEAR_BYTES },
				    both = { 1, 8, 4, rounds, loads, NEAR_BYTES };
			printf("%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\n",
			       ways[k.way], k.backward, k.changed, shift,
			       cycles_of(&k, shift, &one, 0, 1) / copied,
			       cycles_of(&k, shift, &four, 0, 4) / (4 * copied),
			       cycles_of(&k, shift, &read, 0, 4) / (4.0 * loads),
			       cycles_of(&k, shift, &both, 0, 4) / (4 * copied),
			       cycles_of(&k, shift, &both, 4, 8) / (4.0 * loads),
			       rate_of(&k, shift, L2_BYTES), rate_of(&k, shift, DRAM_BYTES));
		}
}

int main(int argc, char **argv)
{
	enum { KINDS = sizeof(kinds) / sizeof(*kinds) };
	const int kind = argc == 3 ? atoi(argv[1]) : 0, shift = argc == 3 ? atoi(argv[2]) : 0;
	cudaDeviceProp of;

	if ((argc != 1 && argc != 3) || kind < 0 || kind >= KINDS || shift < 0 ||
	    shift >= ROW_BYTES || shift % 16) {
		fprintf(stderr, "usage: gpu_async_copy [KIND SHIFT]\n");
		return 2;
	}
	TRY(cudaGetDeviceProperties(&of, 0));
	d.multiprocessors = of.multiProcessorCount;
	TRY(cudaMalloc(&d.from, DRAM_BYTES + ROW_BYTES));
	TRY(cudaMemset(d.from, 0, DRAM_BYTES + ROW_BYTES));
	TRY(cudaMalloc(&d.cycles, 32 * 8 * d.multiprocessors * sizeof(*d.cycles)));
	TRY(cudaMalloc(&d.sink, 8 * d.multiprocessors * sizeof(*d.sink)));
	TRY(cudaEventCreate(&d.begin));
	TRY(cudaEventCreate(&d.end));
	if (argc == 1) {
		table();
	} else { /* each block goes once through 128 KB */
		const setup s = { 512, WARPS, WARPS, 4, 0, DRAM_BYTES };
		once(&kinds[kind], shift, &s);
	}
	return 0;
}
