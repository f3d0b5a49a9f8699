/* SPDX-License-Identifier: MIT
 * Sorts pieces of two elements a thread in shared memory (Batcher's bitonic network).
 */
#include "micro_launch.cuh"
#include "unseen.h"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_unseen_c(const struct micro_args args)
{
	__shared__ uint32_t piece[2 * MICRO_BLOCK_MAX];
	const int t = (int)threadIdx.x, block = (int)blockDim.x;
	const int64_t base = (int64_t)blockIdx.x * 2 * block;
	const uint32_t *in = (const uint32_t *)args.in[0];
	uint32_t *out = (uint32_t *)args.out;

	for (int k = t; k < 2 * block; k += block)
		piece[k] = base + k < args.n ? in[base + k] : 0xffffffffu;
	for (int run = 2; run <= 2 * block; run *= 2)
		for (int distance = run / 2; distance > 0; distance /= 2) {
			__syncthreads();
			const int low = 2 * t - (t & (distance - 1)), high = low + distance;
			const uint32_t a = piece[low], b = piece[high];
			const bool up = (low & run) == 0;
			if ((a > b) == up) {
				piece[low] = b;
				piece[high] = a;
			}
		}
	__syncthreads();
	for (int k = t; k < 2 * block; k += block)
		if (base + k < args.n)
			out[base + k] = piece[k];
}

MICRO_LAUNCHER(micro_unseen_c, unseen_c_geometry)

extern "C" const struct cuda_kernel unseen_c_kernels[] = {
	{ "micro_unseen_c", launch_micro_unseen_c },
	{ 0, 0 },
};
