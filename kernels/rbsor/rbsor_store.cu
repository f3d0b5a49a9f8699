/* SPDX-License-Identifier: MIT
 * The rows next to a neighbour, stored into its memory by the kernel that updates them: no copy
 * follows. Rows are split by colour, as those of rbsor_tuned.cuh, so that what goes over the link
 * lies in one piece.
 */
#include "kernels/machine/cuda_launch.cuh"
#include "rbsor_geometry.h"
#include "rbsor_update.cuh"

template <typename T> __device__ __forceinline__ void rbsor_rim_of(const rbsor_rim &edges)
{
	const rbsor_sweep &sweep = edges.sweep;
	const bool last = blockIdx.y;
	const bool one_row = sweep.row_end - sweep.row_begin == 1;
	const int row = last ? sweep.row_end - 1 : sweep.row_begin;
	T *first_target = (T *)(last ? edges.south : edges.north),
	  *second_target = one_row && !last ? (T *)edges.south : NULL;

	/* One row for both neighbours: the first blocks do it, if there are two. */
	if (!first_target || (one_row && last && edges.north))
		return;
	const int64_t half = sweep.pitch / 2, own_at = sweep.colour * half;
	const int p = (sweep.first_row + row + sweep.colour) & 1;
	const int end = ((sweep.columns - 2 - p) >> 1) + 1;
	const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1 - p;

	if (k >= end)
		return;
	T *own = (T *)sweep.grid + row * sweep.pitch + own_at;
	const T *other = (T *)sweep.grid + row * sweep.pitch + (half - own_at);
	const T omega = (T)sweep.omega;
	const T u = own[k];
	const T horizontal = other[k - 1 + p] + other[k + p];
	const T vertical = other[k - sweep.pitch] + other[k + sweep.pitch];
	const T updated = rbsor_updated(u, omega, horizontal, vertical);

	own[k] = updated;
	first_target[own_at + k] = updated;
	if (second_target)
		second_target[own_at + k] = updated;
}

extern "C" __global__ void __launch_bounds__(RIM_BLOCK_THREADS)
	rbsor_rim_f32(const struct rbsor_rim edges)
{
	block_note<block_note_id("rbsor_rim_f32")> note;
	rbsor_rim_of<float>(edges);
}

extern "C" __global__ void __launch_bounds__(RIM_BLOCK_THREADS)
	rbsor_rim_f64(const struct rbsor_rim edges)
{
	block_note<block_note_id("rbsor_rim_f64")> note;
	rbsor_rim_of<double>(edges);
}

extern "C" const struct cuda_kernel rbsor_store_kernels[] = {
	{ "rbsor_rim_f32", cuda_launch<rbsor_rim, rbsor_rim_f32, rbsor_rim_geometry> },
	{ "rbsor_rim_f64", cuda_launch<rbsor_rim, rbsor_rim_f64, rbsor_rim_geometry> },
	{ 0, 0 },
};
