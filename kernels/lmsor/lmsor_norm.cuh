/* SPDX-License-Identifier: MIT
 * What the sweeps share: whether there is anything left to do, and raising the norm by what a block
 * found.
 */
#ifndef WARPREEL_LMSOR_NORM_CUH
#define WARPREEL_LMSOR_NORM_CUH

#include "lmsor_terms.h"

/* The same for every thread of a launch: the slot before was written by earlier launches. */
__device__ __forceinline__ bool lmsor_goes_on(const struct lmsor_sweep &sweep)
{
	if (sweep.stop_at == UINT64_MAX)
		return true;
	const uint64_t before = sweep.norm[-1];

	return before > sweep.stop_at && before < 0x7ff0000000000000u;
}

__device__ __forceinline__ uint64_t lmsor_magnitude(double u)
{
	return (uint64_t)__double_as_longlong(u) & 0x7fffffffffffffffu;
}

/* All threads of the block come here, at most 256, in rows of whole warps. */
__device__ __forceinline__ void lmsor_raise(uint64_t *norm, uint64_t most)
{
	__shared__ uint64_t of_warp[8];
	const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread & 31;
	const unsigned warps = blockDim.x * blockDim.y / 32;

	for (unsigned step = 16; step > 0; step /= 2) {
		const uint64_t beside = __shfl_sync(0xffffffffu, most, (int)(lane ^ step));

		most = beside > most ? beside : most;
	}
	if (lane == 0)
		of_warp[thread / 32] = most;
	__syncthreads();
	if (thread > 0)
		return;
	for (unsigned w = 1; w < warps; w++)
		most = of_warp[w] > most ? of_warp[w] : most;
	atomicMax((unsigned long long *)norm, (unsigned long long)most);
}

#endif
