/* SPDX-License-Identifier: MIT
 * Warps that stream down strips and compute: each step a warp of 32 lanes has ROWS rows of 1 KB
 * that it asked for a step before, asks for the next, computes `work` dependent instructions for
 * each of its words, and stores what came of the rows. How long memory keeps it waiting, by work
 * and by rows in flight, is what a kernel of few warps with much to compute hangs on
 * (docs/lab/kernels.md).
 *
 *     gpu_strips          a table: rows a step, blocks of 4 warps a multiprocessor, steps of a
 * warp, work, us of a launch (median), TB/s read and written
 */
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

enum { WARPS = 4, LANE_PIECES = 2, REPEATS = 7, LAUNCHES = 5, SMS = 132, ROW_BYTES = 1024 };

template <int ROWS> struct rows {
	float4 piece[ROWS][LANE_PIECES];

	__device__ __forceinline__ void load(const float4 *from, size_t pitch)
	{
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANE_PIECES; k++)
				piece[r][k] = __ldcg(from + r * pitch + k * 32);
	}
	__device__ __forceinline__ void store(float4 *to, size_t pitch) const
	{
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANE_PIECES; k++)
				__stcs(to + r * pitch + k * 32, piece[r][k]);
	}
};

/* `work` rounds of eight chains, so that a warp alone issues every cycle; their sums go into the
 * rows, so that no row is done before. */
template <int ROWS, int WORK>
__device__ __forceinline__ void compute(rows<ROWS> *window, float a, float b)
{
	float x[8] = { window->piece[0][0].x,	     window->piece[0][0].y,
		       window->piece[0][0].z,	     window->piece[0][0].w,
		       window->piece[ROWS - 1][1].x, window->piece[ROWS - 1][1].y,
		       window->piece[ROWS - 1][1].z, window->piece[ROWS - 1][1].w };

#pragma unroll 4
	for (int k = 0; k < WORK; k++)
#pragma unroll
		for (int c = 0; c < 8; c++)
			x[c] = x[c] * a + b;
#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int k = 0; k < LANE_PIECES; k++) {
			window->piece[r][k].x += x[k] + x[k + 2];
			window->piece[r][k].y += x[k + 4];
			window->piece[r][k].z += x[k + 6];
		}
}

template <int ROWS, int WORK>
__global__ void __launch_bounds__(32 * WARPS)
	strips(const float4 *from, float4 *to, size_t pitch, int steps, float a, float b)
{
	const size_t warp = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
	/* Strips lie side by side, as many as fit a row of the array. */
	const size_t across = pitch / (ROW_BYTES / sizeof(float4)),
		     at = warp / across * (size_t)steps * ROWS * pitch +
			  warp % across * (ROW_BYTES / sizeof(float4)) + threadIdx.x % 32;
	rows<ROWS> now, next;

	now.load(from + at, pitch);
	for (int s = 0; s < steps; s++) {
		const size_t row = (size_t)s * ROWS * pitch;

		next.load(from + at + row + (s + 1 < steps ? ROWS * pitch : 0), pitch);
		compute<ROWS, WORK>(&now, a, b);
		now.store(to + at + row, pitch);
		now = next;
	}
}

template <int ROWS, int WORK> static void run(const float4 *from, float4 *to, int blocks, int steps)
{
	const size_t pitch = 16 * ROW_BYTES / sizeof(float4);
	const double bytes = 2.0 * blocks * SMS * WARPS * steps * ROWS * ROW_BYTES;
	cudaEvent_t begin, end;
	std::vector<float> ms;

	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	for (int r = 0; r <= REPEATS; r++) {
		float took;

		TRY(cudaEventRecord(begin));
		for (int k = 0; k < LAUNCHES; k++)
			strips<ROWS, WORK>
				<<<blocks * SMS, 32 * WARPS>>>(from, to, pitch, steps, 0.5f, 0.25f);
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&took, begin, end));
		if (r)
			ms.push_back(took);
	}
	std::sort(ms.begin(), ms.end());
	const double us = 1000.0 * ms[REPEATS / 2] / LAUNCHES;
	printf("%d\t%d\t%d\t%d\t%.2f\t%.3f\n", ROWS, blocks, steps, WORK, us, bytes / us / 1e6);
}

template <int ROWS, int WORK> static void sizes(const float4 *from, float4 *to)
{
	run<ROWS, WORK>(from, to, 2, 32 / ROWS * 2);
	run<ROWS, WORK>(from, to, 4, 32 / ROWS * 2);
	run<ROWS, WORK>(from, to, 4, 128 / ROWS * 2);
}

int main(void)
{
	const size_t bytes = (size_t)4 * SMS * WARPS * 256 * ROW_BYTES + ((size_t)64 << 20);
	float4 *from, *to;

	TRY(cudaMalloc(&from, bytes));
	TRY(cudaMalloc(&to, bytes));
	TRY(cudaMemset(from, 0, bytes));
	printf("rows\tblocks\tsteps\twork\tus\tTB_per_s\n");
	sizes<2, 1>(from, to);
	sizes<2, 32>(from, to);
	sizes<2, 64>(from, to);
	sizes<2, 128>(from, to);
	sizes<4, 1>(from, to);
	sizes<4, 32>(from, to);
	sizes<4, 64>(from, to);
	sizes<4, 128>(from, to);
	sizes<4, 256>(from, to);
	return 0;
}
