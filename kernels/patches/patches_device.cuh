/* SPDX-License-Identifier: MIT
 * What the CUDA kernels of block relaxation share.
 */
#ifndef WARPREEL_PATCHES_DEVICE_CUH
#define WARPREEL_PATCHES_DEVICE_CUH

#include <cuda_runtime.h>

#include "patches_cells.h"
#include "patches_geometry.h"

/* The patch that has block (or tile) `index` of a launch, counted by `first` of its boxes. A guess
 * by proportion, which is right where all patches are alike; else a short walk. */
template <typename First>
__device__ __forceinline__ const struct patches_box *
patches_find(const struct patches_step &step, int32_t index, int32_t total, First first)
{
	const struct patches_box *box = step.box + step.first;
	const int32_t base = first(box[0]);
	int32_t p = (int32_t)((float)index * (float)step.count / (float)total);

	p = p < step.count ? p : step.count - 1;

	while (first(box[p]) - base > index)
		p--;
	while (p + 1 < step.count && first(box[p + 1]) - base <= index)
		p++;
	return box + p;
}

struct patches_first_block {
	__device__ __forceinline__ int32_t operator()(const struct patches_box &box) const
	{
		return box.first_block;
	}
};
struct patches_first_tile {
	__device__ __forceinline__ int32_t operator()(const struct patches_box &box) const
	{
		return box.first_tile;
	}
};

/* A value of u. Chaotic: others may be writing it, and an old or a new one is read. */
template <bool CHAOTIC> __device__ __forceinline__ double patches_load(const double *u)
{
	double value;

	if (!CHAOTIC)
		return *u;
	__nv_atomic_load((double *)u, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	return value;
}

template <bool CHAOTIC> __device__ __forceinline__ void patches_give(double *v, double value)
{
	if (!CHAOTIC)
		*v = value;
	else
		__nv_atomic_store(v, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/* As patches_residual. */
template <bool CHAOTIC>
__device__ __forceinline__ double patches_residual_at(const struct patches_step &step,
						      const struct patches_box *box,
						      const double *u, double f)
{
	const double z = step.stencil[3], y = step.stencil[2], x = step.stencil[1];
	double r = f;

	r = fma(-z, patches_load<CHAOTIC>(u + box->plane), r);
	r = fma(-z, patches_load<CHAOTIC>(u - box->plane), r);
	r = fma(-y, patches_load<CHAOTIC>(u + box->pitch), r);
	r = fma(-y, patches_load<CHAOTIC>(u - box->pitch), r);
	r = fma(-x, patches_load<CHAOTIC>(u + 1), r);
	r = fma(-x, patches_load<CHAOTIC>(u - 1), r);
	return fma(-(double)step.stencil[0], patches_load<CHAOTIC>(u), r);
}

static int patches_kernel_launch(void (*kernel)(const struct patches_step), const void *args,
				 void (*geometry)(const void *, struct launch_geometry *),
				 void *stream)
{
	struct patches_step step = *(const struct patches_step *)args;
	struct launch_geometry g;
	void *arguments[] = { &step };

	geometry(&step, &g);
	if (!step.count || !g.grid[0])
		return cudaSuccess;
	if (g.shared_bytes > 48 << 10) {
		const cudaError_t error = cudaFuncSetAttribute(
			kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)g.shared_bytes);
		if (error)
			return error;
	}
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

/* A kernel of struct patches_step and its launcher. */
#define PATCHES_KERNEL(name, most_threads, blocks, body, geometry)                                 \
	extern "C" __global__ void __launch_bounds__(most_threads, blocks)                         \
		name(const struct patches_step step)                                               \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		body(step);                                                                        \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return patches_kernel_launch(name, args, geometry, stream);                        \
	}

#endif
