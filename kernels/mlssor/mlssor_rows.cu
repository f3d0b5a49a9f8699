/* SPDX-License-Identifier: MIT
 * The paper's kernels with three rows of a tile in shared memory (section V-A5, "shared memory
 * reduction"): a row, and its two neighbours; layers go through global memory. In four forms, as
 * mlssor_full.cu.
 *
 * Row k of a box is in the third k mod 3 of shared memory.
 */
#include "mlssor_block.cuh"

struct rows_view {
	float *rows; /* three, pitch apart */
	int32_t width, pitch;
};

__device__ __forceinline__ float *row_of(const struct rows_view &v, int32_t k)
{
	return v.rows + k % 3 * v.pitch;
}

/* Row k of the box of every tile of the block. */
__device__ __forceinline__ void block_row(const struct mlssor_block &b, const struct rows_view &v,
					  int32_t k)
{
	const int32_t points = b.tiles * v.width;
	const int32_t column0 = mlssor_box(&b.columns, b.first_t, b.tile_column);
	float *row = row_of(v, k);

	for (int32_t c = (int32_t)threadIdx.x; c <= points; c += (int32_t)blockDim.x) {
		const int32_t x = c < points ? c / v.width : b.tiles - 1,
			      j = c < points ? c - x * v.width : v.width;
		if (mlssor_stored(b.columns, column0 + c))
			row[mlssor_slot(v.width, j, x)] =
				*mlssor_at(b.view, b.row0 + k, column0 + c);
	}
}

/* What layer q has updated of row k, back to memory. */
__device__ __forceinline__ void block_row_back(const struct mlssor_block &b,
					       const struct rows_view &v, int32_t k, int32_t q)
{
	const int32_t points = b.tiles * v.width;
	const int32_t column0 = mlssor_box(&b.columns, b.first_t, b.tile_column);
	const float *row = row_of(v, k);

	for (int32_t c = (int32_t)threadIdx.x; c < points; c += (int32_t)blockDim.x) {
		const int32_t x = c / v.width;
		const struct mlssor_range columns =
			mlssor_tile(&b.columns, b.first_t + x, b.tile_column, q);
		if (column0 + c >= columns.begin && column0 + c < columns.end)
			*mlssor_at(b.view, b.row0 + k, column0 + c) =
				row[mlssor_slot(v.width, c - x * v.width, x)];
	}
}

/* Box columns [begin - 1, end] of row k of the thread's own tile; column `width` is the next tile's
 * and stays in memory. */
__device__ __forceinline__ void own_row(const struct mlssor_block &b, const struct rows_view &v,
					int32_t k, int32_t begin, int32_t end)
{
	float *row = row_of(v, k);
	const float *u = mlssor_at(b.view, b.row0 + k, b.column0);

	for (int32_t j = begin - 1; j <= end && j < v.width; j++)
		row[mlssor_slot(v.width, j, (int32_t)threadIdx.x)] = u[j * b.view.column];
}

/* Row k at one layer, box columns [begin, end). OWN: what is updated goes to memory at once. */
template <bool OWN, int UNROLL>
__device__ __forceinline__ void update_row(const struct mlssor_block &b, const struct rows_view &v,
					   int32_t k, int32_t begin, int32_t end, float omega)
{
	const int32_t x = (int32_t)threadIdx.x;
	float *row = row_of(v, k);
	const float *north = row_of(v, k + 2), *south = row_of(v, k + 1);
	float *u = mlssor_at(b.view, b.row0 + k, b.column0);
	float west = row[mlssor_slot(v.width, begin - 1, x)];

#pragma unroll UNROLL
	for (int32_t j = begin; j < end; j++) {
		const int32_t at = mlssor_slot(v.width, j, x);
		const float east = OWN && j + 1 == v.width ? u[(j + 1) * b.view.column]
							   : row[mlssor_slot(v.width, j + 1, x)];
		west = mlssor_update(row[at], west, east, north[at], south[at], omega);
		row[at] = west;
		if (OWN)
			u[j * b.view.column] = west;
	}
}

/* All layers of a thread's own tile. */
template <int UNROLL>
__device__ __forceinline__ void own_tile(const struct mlssor_block &b, const struct rows_view &v,
					 float omega)
{
	for (int32_t q = 0; q < b.rows.layers; q++) {
		const struct mlssor_range rows = mlssor_tile(&b.rows, b.s, b.tile_row, q),
					  columns = mlssor_tile(&b.columns, b.t, b.tile_column, q);
		const int32_t begin = columns.begin - b.column0, end = columns.end - b.column0,
			      first = rows.begin - b.row0, last = rows.end - b.row0;
		if (begin >= end || first >= last)
			continue;
		own_row(b, v, first - 1, begin, end);
		own_row(b, v, first, begin, end);
		for (int32_t k = first; k < last; k++) {
			own_row(b, v, k + 1, begin, end);
			update_row<true, UNROLL>(b, v, k, begin, end, omega);
		}
	}
}

/* The same for subdomains within the mesh, written out. */
template <int ROW, int COLUMN, int SIDE>
__device__ __forceinline__ void own_inner(const struct mlssor_block &b, const struct rows_view &v,
					  float omega)
{
#pragma unroll
	for (int q = 0; q < SIDE / 2; q++) {
		const int begin = mlssor_low<COLUMN, SIDE>(q), end = mlssor_high<COLUMN, SIDE>(q);
		own_row(b, v, mlssor_low<ROW, SIDE>(q) - 1, begin, end);
		own_row(b, v, mlssor_low<ROW, SIDE>(q), begin, end);
#pragma unroll
		for (int k = mlssor_low<ROW, SIDE>(q); k < mlssor_high<ROW, SIDE>(q); k++) {
			own_row(b, v, k + 1, begin, end);
			update_row<true, SIDE>(b, v, k, begin, end, omega);
		}
	}
}

/* A row of the block's tiles at layer q; those within the mesh have constant loops. */
template <int COLUMN, int SIDE, int UNROLL>
__device__ __forceinline__ void block_update(const struct mlssor_block &b,
					     const struct rows_view &v, int32_t k, int32_t q,
					     float omega)
{
	const bool written_out = SIDE && SIDE <= 8 && mlssor_inner(b.columns, b.t);

	if (!b.active)
		return;
	if (written_out) {
		update_row<false, SIDE ? SIDE : 1>(b, v, k, mlssor_low < COLUMN,
						   SIDE ? SIDE : 2 > (q), mlssor_high < COLUMN,
						   SIDE ? SIDE : 2 > (q), omega);
		return;
	}
	const struct mlssor_range columns = mlssor_tile(&b.columns, b.t, b.tile_column, q);
	if (columns.begin < columns.end)
		update_row<false, UNROLL>(b, v, k, columns.begin - b.column0,
					  columns.end - b.column0, omega);
}

/*
 * A layer of the block's tiles: box rows [first, last). Between two barriers a row of the third
 * that is free comes in and what the row before has become goes out.
 */
template <int COLUMN, int SIDE, int UNROLL>
__device__ __forceinline__ void block_layer(const struct mlssor_block &b, const struct rows_view &v,
					    int32_t q, int32_t first, int32_t last, float omega)
{
	__syncthreads(); /* the layer before is in memory */
	if (first >= last)
		return;
	block_row(b, v, first - 1);
	block_row(b, v, first);
#pragma unroll UNROLL
	for (int32_t k = first; k < last; k++) {
		block_row(b, v, k + 1);
		__syncthreads();
		block_update<COLUMN, SIDE, UNROLL>(b, v, k, q, omega);
		__syncthreads();
		block_row_back(b, v, k, q);
	}
}

template <int ROW, int COLUMN, int SIDE, int UNROLL>
__device__ __forceinline__ void block_tiles(const struct mlssor_block &b, const struct rows_view &v,
					    float omega)
{
	if (SIDE && SIDE <= 8 && mlssor_inner(b.rows, b.s)) {
#pragma unroll
		for (int q = 0; q < SIDE / 2; q++)
			block_layer<COLUMN, SIDE, UNROLL>(b, v, q, mlssor_low < ROW,
							  SIDE ? SIDE : 2 > (q), mlssor_high < ROW,
							  SIDE ? SIDE : 2 > (q), omega);
		return;
	}
	for (int32_t q = 0; q < b.rows.layers; q++) {
		const struct mlssor_range rows = mlssor_tile(&b.rows, b.s, b.tile_row, q);
		block_layer<COLUMN, 0, UNROLL>(b, v, q, rows.begin - b.row0, rows.end - b.row0,
					       omega);
	}
}

/* SIDE 0: loops as the arguments say. Up to 8 all loops are written out, above only the rows':
 * their code would not fit an instruction cache. */
template <int ROW, int COLUMN, int SIDE, bool COALESCED>
__device__ __forceinline__ void three_rows(const struct mlssor_sweep &sweep, bool transposed,
					   uint32_t block_x)
{
	constexpr int unroll = SIDE ? 8 : 1;
	const int32_t width = SIDE ? SIDE : sweep.width;
	const struct rows_view v = { (float *)dynamic_shared, width, mlssor_pitch(width) };
	struct mlssor_block b;

	if (!mlssor_block_begin(sweep, transposed, block_x, &b))
		return;
	if (COALESCED)
		block_tiles<ROW, COLUMN, SIDE, unroll>(b, v, sweep.omega);
	else if (b.active && SIDE && SIDE <= 8 && mlssor_inner(b.rows, b.s) &&
		 mlssor_inner(b.columns, b.t))
		own_inner<ROW, COLUMN, SIDE && SIDE <= 8 ? SIDE : 2>(b, v, sweep.omega);
	else if (b.active)
		own_tile<unroll>(b, v, sweep.omega);
}

#define MLSSOR_rows(form, side, coalesced)                                                         \
	MLSSOR_KERNELS(MLSSOR_NAME_##side, rows, form, three_rows, side, coalesced)
#define MLSSOR_full(form, side, coalesced)
#define MLSSOR_FORM(kernel, form, side, rows_only, coalesced) MLSSOR_##kernel(form, side, coalesced)
#include "mlssor_forms.def"
#undef MLSSOR_rows

#define MLSSOR_rows(form, side, coalesced)                                                         \
	MLSSOR_LAUNCHERS(MLSSOR_NAME_##side, rows, form, mlssor_rows_geometry)
extern "C" const struct cuda_kernel mlssor_rows_kernels[] = {
#include "mlssor_forms.def"
	{ 0, 0 },
};
