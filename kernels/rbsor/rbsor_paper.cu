/* SPDX-License-Identifier: MIT
 * The shared-memory red-black SOR kernel of the thesis (Spampinato, section 5.4.2), on LAYOUT_ROWS.
 *
 * A block is a row of 112 threads on a tile of 4 x 112 points. Every thread loads one column of the
 * tile to shared memory; 110 of them update the one point of the wanted colour in the tile's two
 * middle rows; the tiles overlap, so they slide by 2 rows and 110 columns. Which of the two rows it
 * is comes from integer arithmetic instead of a branch.
 *
 * Added to the thesis: a range of rows of a strip (its areas were whole), any colour in one kernel,
 * double precision.
 */
#include "kernels/machine/cuda_launch.cuh"
#include "rbsor_geometry.h"
#include "rbsor_update.cuh"

enum {
	TILE_COLUMNS = PAPER_TILE_COLUMNS,
	TILE_ROWS = PAPER_TILE_ROWS,
	STEP_COLUMNS = PAPER_STEP_COLUMNS,
	STEP_ROWS = PAPER_STEP_ROWS
};

template <typename T> __device__ __forceinline__ void rbsor_paper(const struct rbsor_sweep &sweep)
{
	__shared__ T tile[TILE_ROWS][TILE_COLUMNS];
	const int i = (int)threadIdx.x;
	const int base_column = (int)blockIdx.x * STEP_COLUMNS;
	const int64_t base_row =
		sweep.row_begin - 1 + (int64_t)(blockIdx.z * gridDim.y + blockIdx.y) * STEP_ROWS;
	T *grid = (T *)sweep.grid + base_row * sweep.pitch + base_column;
	const int64_t pitch = sweep.pitch;

	if (base_row + 1 >= sweep.row_end) /* the whole block: a grid folded into z may end late */
		return;
	const bool four_rows =
		base_row + 3 <=
		sweep.row_end; /* an odd number of rows leaves three lines for the last tile */

	if (base_column + i < sweep.columns) {
		tile[0][i] = grid[i];
		tile[1][i] = grid[pitch + i];
		tile[2][i] = grid[2 * pitch + i];
		if (four_rows)
			tile[3][i] = grid[3 * pitch + i];
	}
	__syncthreads();

	/* Tile row 1 where its point in this column has the colour, tile row 2 where it has not. */
	const int column = i + 1;
	const int row =
		1 +
		((sweep.first_row + (int)base_row + 1 + base_column + column + sweep.colour) & 1);
	const bool mine = i < STEP_COLUMNS && base_column + column < sweep.columns - 1 &&
			  (row == 1 || four_rows);

	if (mine) {
		const T omega = (T)sweep.omega;
		const T u = tile[row][column];
		const T horizontal = tile[row][column - 1] + tile[row][column + 1];
		const T vertical = tile[row - 1][column] + tile[row + 1][column];

		tile[row][column] = rbsor_updated(u, omega, horizontal, vertical);
	}
	__syncthreads();

	if (mine)
		grid[row * pitch + column] = tile[row][column];
}

extern "C" __global__ void __launch_bounds__(TILE_COLUMNS)
	rbsor_paper_f32(const struct rbsor_sweep sweep)
{
	block_note<block_note_id("rbsor_paper_f32")> note;
	rbsor_paper<float>(sweep);
}

extern "C" __global__ void __launch_bounds__(TILE_COLUMNS)
	rbsor_paper_f64(const struct rbsor_sweep sweep)
{
	block_note<block_note_id("rbsor_paper_f64")> note;
	rbsor_paper<double>(sweep);
}

extern "C" const struct cuda_kernel rbsor_paper_kernels[] = {
	{ "rbsor_paper_f32", cuda_launch<rbsor_sweep, rbsor_paper_f32, rbsor_paper_geometry> },
	{ "rbsor_paper_f64", cuda_launch<rbsor_sweep, rbsor_paper_f64, rbsor_paper_geometry> },
	{ 0, 0 },
};
