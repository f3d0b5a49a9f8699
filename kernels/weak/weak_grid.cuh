/* SPDX-License-Identifier: MIT
 * Where all blocks of a grid meet: they are resident at once.
 */
#ifndef WARPREEL_WEAK_GRID_CUH
#define WARPREEL_WEAK_GRID_CUH

#include <cuda_runtime.h>
#include "kernels/weak/weak_launch.h"

__device__ __forceinline__ uint32_t weak_acquire(const uint32_t *word)
{
	uint32_t value;

	__nv_atomic_load((uint32_t *)word, &value, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
	return value;
}

/* All blocks have come here `times` times, and see what the others wrote before. */
__device__ __forceinline__ void weak_meet_all(const struct weak_launch &l, uint32_t times)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		uint32_t *arrived = l.status + WEAK_STATUS_ARRIVED;

		__threadfence();
		atomicAdd(arrived, 1u);
		while (weak_acquire(arrived) < times * gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
}

typedef void weak_kernel(const struct weak_launch l);
/* A launch whose blocks meet; refused, after a message, where they are not resident at once. */
int weak_launch_whole(weak_kernel *kernel, const void *args, void *stream);

/* A kernel that makes all steps, and the function that launches it by `launcher`. `bounds` is that
 * of
 * __launch_bounds__, in parentheses; last comes what it runs. */
#define WEAK_KERNEL(name, bounds, launcher, ...)                                                   \
	extern "C" __global__ void __launch_bounds__ bounds name(const struct weak_launch l)       \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		__VA_ARGS__(l);                                                                    \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return launcher(name, args, stream);                                               \
	}

#endif
