/* SPDX-License-Identifier: MIT
 * Between LAYOUT_ROWS and LAYOUT_SPLIT. A thread takes one pair of columns (2k, 2k + 1) of one row:
 * index k in both halves. Runs once before and once after the iterations, so it is kept plain; any
 * pitch of the row-major side will do. For the same reason it notes no blocks: those of the last
 * iteration are wanted.
 */
#include "kernels/machine/cuda_launch.cuh"
#include "colour_layout.h"

/* Where the pair's row and halves begin; false when there is no such pair. */
template <typename T>
__device__ __forceinline__ bool colour_pair(const struct colour_layout_args &args, T **rows,
					    T **even, T **odd)
{
	const int pair = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int64_t row = (int64_t)blockIdx.z * gridDim.y + blockIdx.y;
	const int64_t half = args.pitch / 2;

	if (2 * (int64_t)pair >= args.columns || row >= args.strip_rows)
		return false;
	const int parity = (int)((args.first_row + row) & 1); /* the half of the even columns */
	T *split = (T *)args.grid + row * args.pitch + pair;

	*rows = (T *)args.rows_grid + row * args.rows_pitch + 2 * (int64_t)pair;
	*even = split + parity * half;
	*odd = 2 * pair + 1 < args.columns ? split + (1 - parity) * half
					   : NULL; /* an odd count ends with half a pair */
	return true;
}

template <typename T>
__device__ __forceinline__ void colour_split(const struct colour_layout_args &args)
{
	T *rows, *even, *odd;

	if (!colour_pair<T>(args, &rows, &even, &odd))
		return;
	*even = rows[0];
	if (odd)
		*odd = rows[1];
}

template <typename T>
__device__ __forceinline__ void colour_merge(const struct colour_layout_args &args)
{
	T *rows, *even, *odd;

	if (!colour_pair<T>(args, &rows, &even, &odd))
		return;
	rows[0] = *even;
	if (odd)
		rows[1] = *odd;
}

extern "C" __global__ void __launch_bounds__(LAYOUT_BLOCK_THREADS)
	rbsor_split_f32(const struct colour_layout_args args)
{
	colour_split<float>(args);
}

extern "C" __global__ void __launch_bounds__(LAYOUT_BLOCK_THREADS)
	rbsor_split_f64(const struct colour_layout_args args)
{
	colour_split<double>(args);
}

extern "C" __global__ void __launch_bounds__(LAYOUT_BLOCK_THREADS)
	rbsor_merge_f32(const struct colour_layout_args args)
{
	colour_merge<float>(args);
}

extern "C" __global__ void __launch_bounds__(LAYOUT_BLOCK_THREADS)
	rbsor_merge_f64(const struct colour_layout_args args)
{
	colour_merge<double>(args);
}

extern "C" const struct cuda_kernel colour_layout_kernels[] = {
	{ "rbsor_split_f32",
	  cuda_launch<colour_layout_args, rbsor_split_f32, colour_layout_geometry> },
	{ "rbsor_split_f64",
	  cuda_launch<colour_layout_args, rbsor_split_f64, colour_layout_geometry> },
	{ "rbsor_merge_f32",
	  cuda_launch<colour_layout_args, rbsor_merge_f32, colour_layout_geometry> },
	{ "rbsor_merge_f64",
	  cuda_launch<colour_layout_args, rbsor_merge_f64, colour_layout_geometry> },
	{ 0, 0 },
};
