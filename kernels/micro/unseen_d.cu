/* SPDX-License-Identifier: MIT
 * Many small matrices, 32 x 32 by columns, each times a vector of its own: a warp a matrix, the
 * vectors in shared memory.
 */
#include "micro_launch.cuh"
#include "unseen.h"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_unseen_d(const struct micro_args args)
{
	__shared__ float vector[MICRO_BLOCK_MAX];
	const int t = (int)threadIdx.x, first = t / UNSEEN_D_SIDE * UNSEEN_D_SIDE;
	const int64_t matrix = micro_item() / UNSEEN_D_SIDE, i = micro_item();

	if (matrix < args.n)
		vector[t] = ((const float *)args.in[1])[i];
	__syncthreads();
	if (matrix >= args.n)
		return;
	const float *column =
		(const float *)args.in[0] + matrix * UNSEEN_D_SIDE * UNSEEN_D_SIDE + (t - first);
	float sum = 0;
#pragma unroll 8
	for (int k = 0; k < UNSEEN_D_SIDE; k++)
		sum = fmaf(column[k * UNSEEN_D_SIDE], vector[first + k], sum);
	((float *)args.out)[i] = sum;
}

MICRO_LAUNCHER(micro_unseen_d, unseen_d_geometry)

extern "C" const struct cuda_kernel unseen_d_kernels[] = {
	{ "micro_unseen_d", launch_micro_unseen_d },
	{ 0, 0 },
};
