/* SPDX-License-Identifier: MIT
 * How blocks of a launch that waits for nobody come to a check: each counts itself in while its
 * nodes change little, and the last one in calls all.
 */
#ifndef WARPREEL_WEAK_QUIET_CUH
#define WARPREEL_WEAK_QUIET_CUH

#include <cuda_runtime.h>
#include "kernels/weak/weak_launch.h"

/* A word of shared memory that others of the block read or write meanwhile. */
template <typename T> __device__ __forceinline__ T weak_see(T *word)
{
	T value;

	__nv_atomic_load(word, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
	return value;
}

template <typename T> __device__ __forceinline__ void weak_say(T *word, T value)
{
	__nv_atomic_store(word, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
}

template <int RULE>
__device__ __forceinline__ bool weak_over(struct weak_pair next, struct weak_pair before,
					  float tolerance)
{
	return !(fabsf(next.f - before.f) <= tolerance) ||
	       (RULE == WEAK_SHAPE && !(fabsf(next.g - before.g) <= tolerance));
}

template <bool SEVERAL> __device__ __forceinline__ uint32_t weak_heard(const struct weak_launch &l)
{
	uint32_t value;

	if (SEVERAL)
		__nv_atomic_load(l.status + WEAK_STATUS_CALLED, &value, __NV_ATOMIC_RELAXED,
				 __NV_THREAD_SCOPE_SYSTEM);
	else
		__nv_atomic_load(l.status + WEAK_STATUS_CALLED, &value, __NV_ATOMIC_RELAXED,
				 __NV_THREAD_SCOPE_DEVICE);
	return value;
}

/* A status word of all GPUs is raised. */
template <bool SEVERAL>
__device__ __forceinline__ void weak_raise_all(const struct weak_launch &l, int word,
					       uint32_t value)
{
	if (!SEVERAL)
		atomicMax(l.status + word, value);
	for (int gpu = 0; SEVERAL && gpu < l.gpus; gpu++)
		atomicMax_system(l.all_status[gpu] + word, value);
}

/* By one thread: whether its block changes little. */
template <bool SEVERAL>
__device__ __forceinline__ void weak_count(const struct weak_launch &l, bool quiet, bool *counted,
					   uint32_t checks)
{
	if (quiet == *counted)
		return;
	*counted = quiet;
	const uint32_t by = quiet ? 1u : 0xffffffffu, /* or one less */
		before = SEVERAL ? atomicAdd_system(l.all_status[0] + WEAK_STATUS_QUIET, by)
				 : atomicAdd(l.status + WEAK_STATUS_QUIET, by);

	if (quiet && before + 1 == (uint32_t)weak_blocks(&l.grid))
		weak_raise_all<SEVERAL>(l, WEAK_STATUS_CALLED, checks + 1);
}

#endif
