/* SPDX-License-Identifier: MIT
 * What the first launch of a kernel costs its thread, which loads the kernel's code: 24 kernels of
 * which half have ten times the code, each launched four times. A line a kernel: its number, ns of
 * the first launch and of the others' median, and what the core gave (traces/base/core_share.h).
 * Run untraced and recorded in turn.
 *
 *     nvcc -O2 -std=c++17 -arch=sm_90 -I. -o first_launch traces/data/programs/first_launch.cu \
 *             traces/base/core_share.c
 */
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>

extern "C" {
#include "traces/base/core_share.h"
}

enum { KERNELS = 24, TIMES = 4 };

/* Of odd numbers much code. */
template <int NUMBER> __global__ void kernel(float *x, int n)
{
	float a = x[threadIdx.x];

#pragma unroll
	for (int i = 0; i < (NUMBER % 2 ? 512 : 8); i++)
		a = a * (1.0f + (float)NUMBER * 0.001f) + x[(i * 37 + n) & 1023];
	x[threadIdx.x] = a;
}

static double now_ns(void)
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

template <int NUMBER> static void launch(float *d_x)
{
	double ns[TIMES];

	if constexpr (NUMBER < KERNELS) {
		for (double &of : ns) {
			double begin = now_ns();
			kernel<NUMBER><<<1, 32>>>(d_x, NUMBER);
			of = now_ns() - begin;
			cudaDeviceSynchronize();
		}
		std::sort(ns + 1, ns + TIMES);
		printf("%d\t%.0f\t%.0f\t%u\n", NUMBER, ns[0], ns[TIMES / 2], core_additions());
		launch<NUMBER + 1>(d_x);
	}
}

int main()
{
	float *d_x;

	if (cudaMalloc(&d_x, 1024 * sizeof(*d_x)))
		return 1;
	launch<0>(d_x);
	return cudaDeviceSynchronize() != cudaSuccess;
}
