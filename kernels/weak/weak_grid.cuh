/* SPDX-License-Identifier: MIT
 * Where all blocks of a grid meet: they are resident at once.
 */
#ifndef WARPREEL_WEAK_GRID_CUH
#define WARPREEL_WEAK_GRID_CUH

#include <cuda_runtime.h>
#include "kernels/weak/weak_launch.h"

template <bool SEVERAL = false>
__device__ __forceinline__ uint32_t weak_acquire(const uint32_t *word)
{
	uint32_t value;

	if (SEVERAL)
		__nv_atomic_load((uint32_t *)word, &value, __NV_ATOMIC_ACQUIRE,
				 __NV_THREAD_SCOPE_SYSTEM);
	else
		__nv_atomic_load((uint32_t *)word, &value, __NV_ATOMIC_ACQUIRE,
				 __NV_THREAD_SCOPE_DEVICE);
	return value;
}

/* By the last block that has come: tells all GPUs, each at a word of its own, which they have
 * in their own memory. Why a GPU's word of what has changed is no race: it is written again when
 * all have met once more, after which all have read it. */
__device__ __forceinline__ void weak_tell_all(const struct weak_launch &l, uint32_t times,
					      const uint32_t *changed)
{
	uint32_t bits = changed ? weak_acquire(changed) : 0;

	for (int gpu = 0; gpu < l.gpus; gpu++) {
		uint32_t *words = l.all_status[gpu];

		if (changed)
			__nv_atomic_store(words + WEAK_STATUS_CHANGED + l.gpu, &bits,
					  __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
		__nv_atomic_store(words + WEAK_STATUS_MET + l.gpu, &times, __NV_ATOMIC_RELEASE,
				  __NV_THREAD_SCOPE_SYSTEM);
	}
}

/* All blocks have come here `times` times, and see what the others wrote before. changed: of this
 * GPU's blocks, for weak_changed; or NULL. */
template <bool SEVERAL = false>
__device__ __forceinline__ void weak_meet_all(const struct weak_launch &l, uint32_t times,
					      const uint32_t *changed = NULL)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		uint32_t *arrived = l.status + WEAK_STATUS_ARRIVED;

		if (SEVERAL) {
			__threadfence_system();
			if (atomicAdd(arrived, 1u) + 1 == times * gridDim.x) {
				__threadfence_system();
				weak_tell_all(l, times, changed);
			}
			for (int gpu = 0; gpu < l.gpus; gpu++)
				while (weak_acquire<true>(l.status + WEAK_STATUS_MET + gpu) < times)
					;
			__threadfence_system();
		} else {
			__threadfence();
			atomicAdd(arrived, 1u);
			while (weak_acquire(arrived) < times * gridDim.x)
				;
			__threadfence();
		}
	}
	__syncthreads();
}

/* What the blocks of all GPUs have changed, after they have met; `word`: those of this one. */
template <bool SEVERAL>
__device__ __forceinline__ float weak_changed(const struct weak_launch &l, const uint32_t *word)
{
	uint32_t most = SEVERAL ? 0 : weak_acquire(word);

	for (int gpu = 0; SEVERAL && gpu < l.gpus; gpu++) {
		const uint32_t bits = weak_acquire<true>(l.status + WEAK_STATUS_CHANGED + gpu);

		most = bits > most ? bits : most; /* of what is not negative; a NaN is above all */
	}
	return __int_as_float((int)most);
}

typedef void weak_kernel(const struct weak_launch l);
typedef void weak_geometry(const void *args, struct launch_geometry *geometry);
/* A launch whose blocks meet; refused, after a message, where they are not resident at once. */
int weak_launch_whole(weak_kernel *kernel, weak_geometry *geometry, const void *args, void *stream);

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
/* And the one that steps together with those on other GPUs. */
#define WEAK_KERNEL_OF(name, geometry, bounds, one, several)                                       \
	extern "C" __global__ void __launch_bounds__ bounds name(const struct weak_launch l)       \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		one(l);                                                                            \
	}                                                                                          \
	extern "C" __global__ void __launch_bounds__ bounds name##_several(                        \
		const struct weak_launch l)                                                        \
	{                                                                                          \
		several(l);                                                                        \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		const struct weak_launch *l = (const struct weak_launch *)args;                    \
                                                                                                   \
		return weak_launch_whole(l->gpus > 1 ? name##_several : name, geometry, args,      \
					 stream);                                                  \
	}

#endif
