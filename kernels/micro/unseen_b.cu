/* SPDX-License-Identifier: MIT
 * A sparse matrix in compressed rows times a vector, a warp a row.
 */
#include "micro_launch.cuh"
#include "unseen.h"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_unseen_b(const struct micro_args args)
{
	const int32_t *begin = (const int32_t *)args.in[0], *column = (const int32_t *)args.in[1];
	const float *value = (const float *)args.in[2], *vector = (const float *)args.in[3];
	const int64_t row = micro_item() / 32;
	const int lane = (int)(threadIdx.x & 31);
	float sum = 0;

	if (row >= args.n)
		return;
	const int32_t end = begin[row + 1];
	for (int32_t k = begin[row] + lane; k < end; k += 32)
		sum = fmaf(value[k], vector[column[k]], sum);
	for (int half = 16; half > 0; half /= 2)
		sum += __shfl_sync(0xffffffffu, sum, lane + half);
	if (lane == 0)
		((float *)args.out)[row] = sum;
}

MICRO_LAUNCHER(micro_unseen_b, unseen_b_geometry)

extern "C" const struct cuda_kernel unseen_b_kernels[] = {
	{ "micro_unseen_b", launch_micro_unseen_b },
	{ 0, 0 },
};
