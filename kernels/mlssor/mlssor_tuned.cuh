/* SPDX-License-Identifier: MIT
 * What the tuned kernels of multi-layer SSOR are made of (mlssor_tuned.cu says how they go about
 * it), with two ways to fetch the boxes: a word at a time, or AHEAD.
 */
#ifndef WARPREEL_MLSSOR_TUNED_CUH
#define WARPREEL_MLSSOR_TUNED_CUH

#include "mlssor_block.cuh"

/*
 * Row i of the tile of thread x has its column j at (i * SIDE + j) * stride + x; column SIDE is
 * column 0 of thread x + 1, of the last thread what pads a column. Lanes that hold one row of a
 * few tiles, as it comes from memory, are SIDE columns of 32 / SIDE threads: this padding puts them
 * on 32 banks.
 */
template <int SIDE> __device__ __forceinline__ int32_t stride_of()
{
	return (int32_t)blockDim.x + 32 / SIDE;
}
template <int SIDE> __device__ __forceinline__ int32_t place(int32_t i, int32_t j, int32_t x)
{
	return j < SIDE ? (i * SIDE + j) * stride_of<SIDE>() + x
			: i * SIDE * stride_of<SIDE>() + x + 1;
}

/* Whether an inner tile ever updates box point (i, j): those of K11 and K22 are squares, the others
 * diamonds. */
template <int ROW, int COLUMN, int SIDE>
__device__ __forceinline__ constexpr bool updates(int32_t i, int32_t j)
{
	constexpr int32_t k = SIDE / 2;
	const int32_t di = i < k ? k - i : i - k, dj = j < k ? k - j : j - k;

	return ROW == COLUMN ? di < k && dj < k : di + dj < k;
}

/* All rows of all boxes between memory and shared memory; SIDE divides the block. */
template <int ROW, int COLUMN, int SIDE, bool STORE>
__device__ __forceinline__ void boxes(const struct mlssor_block &b, float *tile)
{
	const int32_t threads = (int32_t)blockDim.x, j = (int32_t)threadIdx.x % SIDE,
		      x0 = (int32_t)threadIdx.x / SIDE, step = threads / SIDE;
	const int32_t column0 = mlssor_box(&b.columns, b.first_t, b.tile_column);
	const bool inner_row = mlssor_inner(b.rows, b.s);

#pragma unroll 1
	for (int32_t i = STORE; i < SIDE + !STORE; i++) {
		if (!mlssor_stored(b.rows, b.row0 + i))
			continue;
		float *u = mlssor_at(b.view, b.row0 + i, column0);
#pragma unroll
		for (int32_t m = 0; m < SIDE; m++) {
			const int32_t x = x0 + m * step, c = (int32_t)threadIdx.x + m * threads;
			float *cell = tile + place<SIDE>(i, j, x);
			if (x >= b.tiles || !mlssor_stored(b.columns, column0 + c))
				continue;
			if (!STORE)
				*cell = u[c * b.view.column];
			else if (inner_row && mlssor_inner(b.columns, b.first_t + x)
					 ? updates<ROW, COLUMN, SIDE>(i, j)
					 : mlssor_writes(b, b.first_t + x, b.row0 + i, column0 + c))
				u[c * b.view.column] = *cell;
		}
		if (!STORE && threadIdx.x == 0) { /* what is right of the last tile */
			const int32_t c = b.tiles * SIDE;
			if (mlssor_stored(b.columns, column0 + c))
				tile[place<SIDE>(i, SIDE, b.tiles - 1)] = u[c * b.view.column];
		}
	}
}

/*
 * The same, 16 words a thread under way at once: all are asked for before the first goes to shared
 * memory. The compiler may not do that by itself, for what it writes there might be what it is
 * about to read.
 */
template <int SIDE>
__device__ __forceinline__ void boxes_ahead(const struct mlssor_block &b, float *tile)
{
	constexpr int32_t rows = 16 / SIDE;
	const int32_t threads = (int32_t)blockDim.x, j = (int32_t)threadIdx.x % SIDE,
		      x0 = (int32_t)threadIdx.x / SIDE, step = threads / SIDE;
	const int32_t column0 = mlssor_box(&b.columns, b.first_t, b.tile_column);

#pragma unroll 1
	for (int32_t i = 0; i <= SIDE; i += rows) {
		float value[rows][SIDE];
#pragma unroll
		for (int32_t r = 0; r < rows; r++) {
			const bool stored = i + r <= SIDE && mlssor_stored(b.rows, b.row0 + i + r);
			const float *u = mlssor_at(b.view, b.row0 + i + r, column0);
#pragma unroll
			for (int32_t m = 0; m < SIDE; m++) {
				const int32_t c = (int32_t)threadIdx.x + m * threads;
				value[r][m] = stored && x0 + m * step < b.tiles &&
							      mlssor_stored(b.columns, column0 + c)
						      ? u[c * b.view.column]
						      : 0;
			}
		}
#pragma unroll
		for (int32_t r = 0; r < rows; r++)
#pragma unroll
			for (int32_t m = 0; m < SIDE; m++)
				if (i + r <= SIDE)
					tile[place<SIDE>(i + r, j, x0 + m * step)] = value[r][m];
	}
	/* What is right of the last tile, a row a thread. It is column 0 of a tile that is not
	 * there, whose words the loop above has cleared. */
	__syncthreads();
	const int32_t c = b.tiles * SIDE, i = (int32_t)threadIdx.x;
	if (i <= SIDE && mlssor_stored(b.rows, b.row0 + i) && mlssor_stored(b.columns, column0 + c))
		tile[place<SIDE>(i, SIDE, b.tiles - 1)] =
			*mlssor_at(b.view, b.row0 + i, column0 + c);
}

template <int ROW, int COLUMN, int SIDE>
__device__ __forceinline__ void inner_tile(float *tile, float omega)
{
	constexpr int K = SIDE / 2;
	const int32_t x = (int32_t)threadIdx.x;
	float u[SIDE + 1][SIDE + 1];

#pragma unroll
	for (int r = 0; r <= SIDE + K; r++) {
#pragma unroll
		for (int j = 0; j <= SIDE; j++)
			if (r <= SIDE)
				u[r <= SIDE ? r : 0][j] = tile[place<SIDE>(r, j, x)];
#pragma unroll
		for (int q = 0; q < K; q++) {
			const int i = r - 1 - q;
			if (i < mlssor_low<ROW, SIDE>(q) || i >= mlssor_high<ROW, SIDE>(q))
				continue;
#pragma unroll
			for (int j = mlssor_low<COLUMN, SIDE>(q); j < mlssor_high<COLUMN, SIDE>(q);
			     j++)
				u[i][j] = mlssor_update(u[i][j], u[i][j - 1], u[i][j + 1],
							u[i - 1][j], u[i + 1][j], omega);
		}
		const int done = r - K;
#pragma unroll
		for (int j = 1; j < SIDE; j++)
			if (done > 0 && done < SIDE && updates<ROW, COLUMN, SIDE>(done, j))
				tile[place<SIDE>(done, j, x)] =
					u[done > 0 && done < SIDE ? done : 0][j];
	}
}

/* Any tile, in shared memory. */
template <int SIDE>
__device__ __forceinline__ void edge_tile(const struct mlssor_block &b, float *tile, float omega)
{
	const int32_t x = (int32_t)threadIdx.x;

	for (int32_t q = 0; q < SIDE / 2; q++) {
		const struct mlssor_range rows = mlssor_tile(&b.rows, b.s, b.tile_row, q),
					  columns = mlssor_tile(&b.columns, b.t, b.tile_column, q);
		for (int32_t i = rows.begin - b.row0; i < rows.end - b.row0; i++)
			for (int32_t j = columns.begin - b.column0; j < columns.end - b.column0;
			     j++) {
				float *at = tile + place<SIDE>(i, j, x);
				*at = mlssor_update(*at, tile[place<SIDE>(i, j - 1, x)],
						    tile[place<SIDE>(i, j + 1, x)],
						    tile[place<SIDE>(i - 1, j, x)],
						    tile[place<SIDE>(i + 1, j, x)], omega);
			}
	}
}

template <int ROW, int COLUMN, int SIDE, bool AHEAD>
__device__ __forceinline__ void tuned_tile(const struct mlssor_sweep &sweep, bool transposed,
					   uint32_t block_x)
{
	float *tile = (float *)dynamic_shared;
	struct mlssor_block b;

	if (!mlssor_block_begin(sweep, transposed, block_x, &b))
		return;
	/* The last row of subdomains first. */
	b.s = b.s == sweep.begin ? sweep.end - 1 : b.s - 1;
	b.row0 = mlssor_box(&b.rows, b.s, b.tile_row);
	if (AHEAD)
		boxes_ahead<SIDE>(b, tile);
	else
		boxes<ROW, COLUMN, SIDE, false>(b, tile);
	__syncthreads();
	if (b.active && mlssor_inner(b.rows, b.s) && mlssor_inner(b.columns, b.t))
		inner_tile<ROW, COLUMN, SIDE>(tile, sweep.omega);
	else if (b.active)
		edge_tile<SIDE>(b, tile, sweep.omega);
	__syncthreads();
	boxes<ROW, COLUMN, SIDE, true>(b, tile);
}

#endif
