/* SPDX-License-Identifier: MIT
 * Microkernels that move data in order: copies of 4, 8 and 16 bytes a thread, triads, and the
 * filling of buffers.
 */
#define MICRO_INLINE static __host__ __device__ __forceinline__
#include "micro_launch.cuh"
#include "micro_value.h"

struct alignas(16) micro_quad {
	float lane[4];
};

template <typename T> static __device__ __forceinline__ void copy(const struct micro_args &args)
{
	const int64_t i = micro_item();

	if (i < args.n)
		((T *)args.out)[i] = ((const T *)args.in[0])[i];
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_copy4(const struct micro_args args)
{
	block_note<block_note_id("micro_copy4")> note;
	copy<float>(args);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_copy8(const struct micro_args args)
{
	block_note<block_note_id("micro_copy8")> note;
	copy<double>(args);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_copy16(const struct micro_args args)
{
	block_note<block_note_id("micro_copy16")> note;
	copy<micro_quad>(args);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_triad32(const struct micro_args args)
{
	block_note<block_note_id("micro_triad32")> note;
	const int64_t i = micro_item();

	if (i < args.n)
		((float *)args.out)[i] = fmaf((float)args.scale, ((const float *)args.in[1])[i],
					      ((const float *)args.in[0])[i]);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_triad64(const struct micro_args args)
{
	block_note<block_note_id("micro_triad64")> note;
	const int64_t i = micro_item();

	if (i < args.n)
		((double *)args.out)[i] = fma(args.scale, ((const double *)args.in[1])[i],
					      ((const double *)args.in[0])[i]);
}

extern "C" __global__ void __launch_bounds__(256) micro_fill(const struct micro_fill_args args)
{
	const int64_t i = micro_item();

	if (i < args.count)
		micro_fill_element(&args, i);
}

MICRO_LAUNCHER(micro_copy4, micro_items_geometry)
MICRO_LAUNCHER(micro_copy8, micro_items_geometry)
MICRO_LAUNCHER(micro_copy16, micro_items_geometry)
MICRO_LAUNCHER(micro_triad32, micro_items_geometry)
MICRO_LAUNCHER(micro_triad64, micro_items_geometry)
MICRO_LAUNCHER(micro_fill, micro_fill_geometry)

extern "C" const struct cuda_kernel micro_memory_kernels[] = {
	{ "micro_copy4", launch_micro_copy4 },
	{ "micro_copy8", launch_micro_copy8 },
	{ "micro_copy16", launch_micro_copy16 },
	{ "micro_triad32", launch_micro_triad32 },
	{ "micro_triad64", launch_micro_triad64 },
	{ "micro_fill", launch_micro_fill },
	{ 0, 0 },
};
