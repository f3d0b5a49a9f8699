/* SPDX-License-Identifier: MIT
 * What keeps warps from issuing, and what strips in memory cost (docs/lab/passes.md): cycles of an
 * instruction on one sub-partition, in loops of 512, 24 chains, and the rate of a
 * copy whose warps each walk down a strip.
 *
 *     gpu_issue       a table: sm.shuffle_issue_cycles, sm.multiply_add_interval and
 *                     sm.dram_strips_bytes_per_s of platform files
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define TRY(call)                                                                                  \
	do {                                                                                       \
		const cudaError_t error = (call);                                                  \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "gpu_issue: %s: %s\n", #call, cudaGetErrorString(error));  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { BODY = 512, ROUNDS = 200, RESULTS = 24, SOURCES = 16 };
enum what { ADDS, ADDS_AND_SHUFFLES, MULTIPLY_ADDS };

static double median(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2];
}

/* One in EVERY is a shuffle. */
template <what WHAT, int EVERY>
__global__ void __launch_bounds__(768) issue_kernel(float *d_out, long long *d_cycles)
{
	float result[RESULTS], source[SOURCES];
	int number[RESULTS];
	const int lane = (int)(threadIdx.x & 31);

	for (int k = 0; k < RESULTS; k++) {
		result[k] = d_out[k];
		number[k] = (int)result[k];
	}
	for (int k = 0; k < SOURCES; k++)
		source[k] = d_out[RESULTS + k];
	__syncthreads();
	const long long begin = clock64();
#pragma unroll 1
	for (int round = 0; round < ROUNDS; round++)
#pragma unroll 512
		for (int i = 0; i < BODY; i++) {
			float *to = &result[i % RESULTS];

			if (WHAT == MULTIPLY_ADDS)
				asm volatile("mad.lo.s32 %0, %0, %1, %1;"
					     : "+r"(number[i % RESULTS])
					     : "r"(lane));
			else if (WHAT == ADDS_AND_SHUFFLES && i % EVERY == 0)
				asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, -1;"
					     : "+f"(*to)
					     : "r"(lane));
			else
				asm volatile("add.rn.f32 %0, %0, %1;"
					     : "+f"(*to)
					     : "f"(source[i % SOURCES]));
		}
	__syncthreads();
	if (!threadIdx.x)
		d_cycles[blockIdx.x] = clock64() - begin;
	for (int k = 0; k < RESULTS; k++)
		if (result[k] + (float)number[k] == 12345.0f)
			d_out[k] = result[k];
}

template <what WHAT, int EVERY> static double cycles_each(int warps)
{
	float *d_out;
	long long *d_cycles, h_cycles;
	std::vector<double> all;

	TRY(cudaMalloc(&d_out, 4 * (RESULTS + SOURCES)));
	TRY(cudaMemset(d_out, 0, 4 * (RESULTS + SOURCES)));
	TRY(cudaMalloc(&d_cycles, 132 * sizeof(*d_cycles)));
	for (int repeat = 0; repeat < 5; repeat++) {
		issue_kernel<WHAT, EVERY><<<132, 32 * warps>>>(d_out, d_cycles);
		TRY(cudaMemcpy(&h_cycles, d_cycles, sizeof(h_cycles), cudaMemcpyDeviceToHost));
		all.push_back((double)h_cycles / ROUNDS / BODY / (warps / 4));
	}
	TRY(cudaFree(d_out));
	TRY(cudaFree(d_cycles));
	return median(all);
}

/* A tile is 512 PIECES bytes wide; a warp copies `rows` rows of one, ROWS a step. */
template <int PIECES, int ROWS>
__global__ void __launch_bounds__(128)
	strips_kernel(float4 *d_to, const float4 *d_from, int pitch, int size, int rows)
{
	const int tile = (int)(blockIdx.x * 4 + threadIdx.x / 32), top = (int)blockIdx.y * rows,
		  end = min(top + rows, size);
	const size_t at = (size_t)tile * 32 * PIECES + (threadIdx.x & 31);
	float4 now[ROWS][PIECES], next[ROWS][PIECES];
	const auto load = [&](float4(*into)[PIECES], int row) {
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int p = 0; p < PIECES; p++)
				into[r][p] = d_from[(size_t)min(row + r, size - 1) * pitch + at +
						    p * 32];
	};

	if ((tile + 1) * 32 * PIECES > pitch)
		return;
	load(now, top);
	for (int row = top; row < end; row += ROWS) {
		load(next, row + ROWS);
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int p = 0; p < PIECES; p++) {
				if (row + r < end)
					d_to[(size_t)(row + r) * pitch + at + p * 32] = now[r][p];
				now[r][p] = next[r][p];
			}
	}
}

template <int PIECES, int ROWS>
static void strips(float4 *d_to, float4 *d_from, int blocks, int waves, std::vector<double> *all)
{
	const int size = 16384, pitch = size / 4, across = pitch / (32 * PIECES * 4),
		  down = std::max(1, 132 * blocks * waves / across),
		  rows = (size + down - 1) / down,
		  shared = blocks >= 16 ? 0 : 224 * 1024 / blocks - 1024;
	cudaEvent_t begin, end;
	std::vector<double> rates;

	TRY(cudaFuncSetAttribute(strips_kernel<PIECES, ROWS>,
				 cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int repeat = 0; repeat < 4; repeat++) {
		float ms;

		TRY(cudaEventRecord(begin));
		strips_kernel<PIECES, ROWS>
			<<<dim3(across, (size + rows - 1) / rows), 128, shared>>>(
				d_to, d_from, pitch, size, rows);
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms, begin, end));
		if (repeat)
			rates.push_back(2.0 * size * pitch * 16 / ms * 1e3);
		std::swap(d_to, d_from);
	}
	printf("strips of %d B, %d rows a step, %d blocks an SM, %d waves\t%.4g B/s\n",
	       512 * PIECES, ROWS, blocks, waves, median(rates));
	all->push_back(median(rates));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
}

int main()
{
	float4 *d_grid[2];
	std::vector<double> rates;
	const double add = cycles_each<ADDS, 1>(24);

	printf("FADD\t%.3f cycles\n", add);
	printf("shuffle_issue_cycles\t%.2f %.2f %.2f\n",
	       8 * (cycles_each<ADDS_AND_SHUFFLES, 8>(24) - add) + 1,
	       16 * (cycles_each<ADDS_AND_SHUFFLES, 16>(24) - add) + 1,
	       32 * (cycles_each<ADDS_AND_SHUFFLES, 32>(24) - add) + 1);
	printf("multiply_add_interval\t%.3f\n", cycles_each<MULTIPLY_ADDS, 1>(24));
	for (float4 *&d : d_grid) {
		TRY(cudaMalloc(&d, (size_t)16384 * 16384 * 4));
		TRY(cudaMemset(d, 0, (size_t)16384 * 16384 * 4));
	}
	for (int blocks : { 4, 8, 16 })
		for (int waves : { 1, 2 }) {
			strips<1, 2>(d_grid[0], d_grid[1], blocks, waves, &rates);
			strips<1, 4>(d_grid[0], d_grid[1], blocks, waves, &rates);
			strips<2, 2>(d_grid[0], d_grid[1], blocks, waves, &rates);
		}
	printf("dram_strips_bytes_per_s\t%.4g\n", median(rates));
	return 0;
}
