/* SPDX-License-Identifier: MIT
 * The shared-memory kernels of the thesis (Spampinato, section 5.4.2) in the variants that it
 * describes: how a thread finds the row of its point, and where the tile is loaded from. A tile,
 * its blocks and their steps are those of rbsor_paper.cu.
 *
 * r1 says whether the point in the first row and column that a block updates is red. A thread of
 * column 1 + i then has its red point in row 1 or 2 of the tile, its black one in the other.
 */
#ifndef WARPREEL_RBSOR_TILE_CUH
#define WARPREEL_RBSOR_TILE_CUH

#include "kernels/machine/cuda_launch.cuh"
#include "rbsor_geometry.h"
#include "rbsor_update.cuh"

/* Figures 5.13 and 5.17: by arithmetic, so that no warp splits up. */
template <bool red> __device__ __forceinline__ int row_by_arithmetic(int r1, int i)
{
	const int first = red ? r1 : 1 - r1;
	const int sign = first + __mul24(1 - first, -1);

	return (2 - first) + __mul24(sign, 1 & i);
}

/* The same figures' version with branches. */
template <bool red> __device__ __forceinline__ int row_by_branch(int r1, int i)
{
	int row;

	if (r1 == (red ? 1 : 0))
		row = 1 + i % 2;
	else
		row = 2 - i % 2;
	return row;
}

/* In strips a block's columns begin with an even one of the grid: the row alone decides. */
struct of_strips {
	static __device__ __forceinline__ int first_is_red(const rbsor_area &area, int base_row,
							   int base_column)
	{
		(void)base_column;
		return (area.first_row + base_row + 1) & 1;
	}
	template <bool red> static __device__ __forceinline__ int row(int r1, int i)
	{
		return row_by_arithmetic<red>(r1, i);
	}
};

struct of_strips_by_branch : of_strips {
	static __device__ __forceinline__ int first_is_red(const rbsor_area &area, int base_row,
							   int base_column)
	{
		(void)base_column;
		return (area.first_row + base_row + 1) % 2;
	}
	template <bool red> static __device__ __forceinline__ int row(int r1, int i)
	{
		return row_by_branch<red>(r1, i);
	}
};

/* Figure 5.20: a part of a block partition may begin anywhere; a point is red where its row and
 * column are both even or both odd. */
struct of_blocks {
	static __device__ __forceinline__ int first_is_red(const rbsor_area &area, int base_row,
							   int base_column)
	{
		const int row = area.first_row + base_row + 1,
			  column = area.first_column + base_column + 1;

		return (~(row ^ column)) & 1;
	}
	template <bool red> static __device__ __forceinline__ int row(int r1, int i)
	{
		return row_by_arithmetic<red>(r1, i);
	}
};

/* load(index): the point that lies so many elements behind the first of row row_begin - 1. */
template <typename T, bool red, typename Index, typename Load>
__device__ __forceinline__ void rbsor_tile(const rbsor_area &area, Load load)
{
	enum { COLUMNS = PAPER_TILE_COLUMNS, ROWS = PAPER_TILE_ROWS, STEP = PAPER_STEP_COLUMNS };
	__shared__ T tile[ROWS][COLUMNS];
	const rbsor_sweep &sweep = area.sweep;
	const int i = (int)threadIdx.x;
	const int base_column = (int)blockIdx.x * STEP;
	const int64_t from_first = (int64_t)(blockIdx.z * gridDim.y + blockIdx.y) * PAPER_STEP_ROWS;
	const int64_t base_row = sweep.row_begin - 1 + from_first, pitch = sweep.pitch;

	if (base_row + 1 >= sweep.row_end) /* the whole block: a grid folded into z may end late */
		return;
	const bool four_rows = base_row + 3 <= sweep.row_end;

	if (base_column + i < sweep.columns) {
		const int64_t at = from_first * pitch + base_column + i;

		tile[0][i] = load(at);
		tile[1][i] = load(at + pitch);
		tile[2][i] = load(at + 2 * pitch);
		if (four_rows)
			tile[3][i] = load(at + 3 * pitch);
	}
	__syncthreads();

	const int column = i + 1;
	const int row =
		Index::template row<red>(Index::first_is_red(area, (int)base_row, base_column), i);
	const bool mine =
		i < STEP && base_column + column < sweep.columns - 1 && (row == 1 || four_rows);

	if (mine) {
		const T omega = (T)sweep.omega;
		const T u = tile[row][column];
		const T horizontal = tile[row][column - 1] + tile[row][column + 1];
		const T vertical = tile[row - 1][column] + tile[row + 1][column];

		tile[row][column] = rbsor_updated(u, omega, horizontal, vertical);
	}
	__syncthreads();

	if (mine)
		((T *)sweep.grid)[(base_row + row) * pitch + base_column + column] =
			tile[row][column];
}

#endif
