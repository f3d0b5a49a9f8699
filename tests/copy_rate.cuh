/* SPDX-License-Identifier: MIT
 * What benches of kernels share: the rate at which this GPU copies, medians of timed batches,
 * random values, and the count of words in which two grids differ.
 */
#ifndef WARPREEL_COPY_RATE_CUH
#define WARPREEL_COPY_RATE_CUH

#include <algorithm>
#include <stdint.h>
#include <stdio.h>

#include "cuda_try.h"

enum { REPEATS = 9 };

template <int VECTORS>
__global__ void __launch_bounds__(256) copy_kernel(float4 *target, const float4 *source)
{
	const size_t first = (size_t)blockIdx.x * 256 * VECTORS + threadIdx.x;
	float4 value[VECTORS];

#pragma unroll
	for (int i = 0; i < VECTORS; i++)
		value[i] = source[first + (size_t)i * 256];
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
		target[first + (size_t)i * 256] = value[i];
}

template <typename Work> static double median_us(int batch, Work work)
{
	cudaEvent_t begin, end;
	float ms[REPEATS];

	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	work();
	for (int i = 0; i < REPEATS; i++) {
		TRY(cudaEventRecord(begin));
		for (int k = 0; k < batch; k++)
			work();
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&ms[i], begin, end));
	}
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	std::sort(ms, ms + REPEATS);
	return 1e3 * (double)ms[REPEATS / 2] / batch;
}

/* Bytes read plus written a second. */
[[maybe_unused]] static double best_copy_rate(void)
{
	const size_t bytes = (size_t)2 << 30;
	void *source, *target;
	double rate[4];

	TRY(cudaMalloc(&source, bytes));
	TRY(cudaMalloc(&target, bytes));
	TRY(cudaMemset(source, 1, bytes));
	const unsigned blocks = (unsigned)(bytes / 16 / 256);
	float4 *to = (float4 *)target;
	const float4 *from = (const float4 *)source;
	rate[0] = median_us(5, [=] { copy_kernel<1><<<blocks, 256>>>(to, from); });
	rate[1] = median_us(5, [=] { copy_kernel<2><<<blocks / 2, 256>>>(to, from); });
	rate[2] = median_us(5, [=] { copy_kernel<4><<<blocks / 4, 256>>>(to, from); });
	rate[3] = median_us(
		5, [=] { TRY(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice)); });
	TRY(cudaGetLastError());
	for (double &value : rate)
		value = 2e6 * (double)bytes / value;
	printf("copy of 2 GiB, read + written, GB/s: 1 vector a thread %.0f, 2 vectors %.0f, 4 "
	       "vectors %.0f, cudaMemcpy %.0f\n",
	       rate[0] * 1e-9, rate[1] * 1e-9, rate[2] * 1e-9, rate[3] * 1e-9);
	TRY(cudaFree(source));
	TRY(cudaFree(target));
	return *std::max_element(
		rate, rate + 3); /* kernels only: that is what the sweep is compared with */
}

template <typename T> __global__ void fill_kernel(T *grid, size_t count)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x) {
		uint64_t x = i * 0x9e3779b97f4a7c15u;
		x ^= x >> 29;
		x *= 0xbf58476d1ce4e5b9u;
		grid[i] = (T)(double)(x >> 40) * (T)0x1p-24;
	}
}

__global__ void differ_kernel(const uint32_t *a, const uint32_t *b, size_t count,
			      unsigned long long *differing)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x)
		if (a[i] != b[i])
			atomicAdd(differing, 1ULL);
}

#endif
