/* SPDX-License-Identifier: MIT
 * The thesis' kernels with coordinates as its figures compute them; rbsor_paper.cu has one
 * expression for all.
 */
#include "rbsor_tile.cuh"

template <typename T> struct from_memory {
	const T *first;
	__device__ __forceinline__ T operator()(int64_t at) const
	{
		return first[at];
	}
};

template <typename T, bool red, typename Index>
__device__ __forceinline__ void rbsor_index(const rbsor_area &area)
{
	const from_memory<T> load = { (const T *)area.sweep.grid +
				      (area.sweep.row_begin - 1) * area.sweep.pitch };

	rbsor_tile<T, red, Index>(area, load);
}

#define KERNEL(name, T, red, index)                                                                \
	extern "C" __global__ void __launch_bounds__(PAPER_TILE_COLUMNS)                           \
		name(const struct rbsor_area area)                                                 \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		rbsor_index<T, red, index>(area);                                                  \
	}
#define KERNELS(indices, index)                                                                    \
	KERNEL(rbsor_##indices##_red_f32, float, true, index)                                      \
	KERNEL(rbsor_##indices##_black_f32, float, false, index)                                   \
	KERNEL(rbsor_##indices##_red_f64, double, true, index)                                     \
	KERNEL(rbsor_##indices##_black_f64, double, false, index)
KERNELS(strips, of_strips)
KERNELS(branch, of_strips_by_branch)
KERNELS(blocks, of_blocks)

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, cuda_launch < rbsor_area, name, rbsor_paper_geometry>                       \
	}
#define ROWS(indices)                                                                              \
	ROW(rbsor_##indices##_red_f32), ROW(rbsor_##indices##_black_f32),                          \
		ROW(rbsor_##indices##_red_f64), ROW(rbsor_##indices##_black_f64)
extern "C" const struct cuda_kernel rbsor_index_kernels[] = {
	ROWS(strips),
	ROWS(branch),
	ROWS(blocks),
	{ 0, 0 },
};
