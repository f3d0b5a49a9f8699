/* SPDX-License-Identifier: MIT
 * The paper's kernels with whole tiles in shared memory (section V-A): a thread fetches its tile,
 * makes all layers of it in lexicographic order, and stores it. In four forms: each thread its own
 * rows or the block together ("coalesced"); loops as they are or written out ("unrolled").
 */
#include "mlssor_block.cuh"

/* Fetches (or, `store`, puts back what was updated of) the box of every tile: each thread its own.
 */
template <bool STORE>
__device__ __forceinline__ void own_box(const struct mlssor_block &b, int32_t width, float *tile)
{
	const int32_t x = (int32_t)threadIdx.x, pitch = mlssor_pitch(width);
	const int32_t own = b.box_columns < width ? b.box_columns : width;
	const int32_t columns = x == b.tiles - 1 ? b.box_columns : own;

	if (!b.active)
		return;
	for (int32_t i = 0; i < b.box_rows; i++) {
		if (!mlssor_stored(b.rows, b.row0 + i))
			continue;
		for (int32_t j = 0; j < columns; j++) {
			float *cell = tile + i * pitch + mlssor_slot(width, j, x);
			if (!mlssor_stored(b.columns, b.column0 + j))
				continue;
			float *u = mlssor_at(b.view, b.row0 + i, b.column0 + j);
			if (!STORE)
				*cell = *u;
			else if (mlssor_writes(b, b.t, b.row0 + i, b.column0 + j))
				*u = *cell;
		}
	}
}

/* The same, rows of the whole block by all threads. */
template <bool STORE>
__device__ __forceinline__ void block_box(const struct mlssor_block &b, int32_t width, float *tile)
{
	const int32_t pitch = mlssor_pitch(width), points = b.tiles * width;
	const int32_t column0 = mlssor_box(&b.columns, b.first_t, b.tile_column);

	for (int32_t i = 0; i < b.box_rows; i++) {
		if (!mlssor_stored(b.rows, b.row0 + i))
			continue;
		for (int32_t c = (int32_t)threadIdx.x; c <= points; c += (int32_t)blockDim.x) {
			const int32_t x = c < points ? c / width : b.tiles - 1,
				      j = c < points ? c - x * width : width;
			if (!mlssor_stored(b.columns, column0 + c))
				continue;
			float *cell = tile + i * pitch + mlssor_slot(width, j, x);
			float *u = mlssor_at(b.view, b.row0 + i, column0 + c);
			if (!STORE)
				*cell = *u;
			else if (mlssor_writes(b, b.first_t + x, b.row0 + i, column0 + c))
				*u = *cell;
		}
	}
}

/* A row of a tile at one layer: box columns [begin, end). */
__device__ __forceinline__ void update_row(float *row, int32_t width, int32_t begin, int32_t end,
					   float omega)
{
	const int32_t x = (int32_t)threadIdx.x, pitch = mlssor_pitch(width);
	float west = row[mlssor_slot(width, begin - 1, x)], u = row[mlssor_slot(width, begin, x)];

	for (int32_t j = begin; j < end; j++) {
		const int32_t at = mlssor_slot(width, j, x);
		const float east = row[mlssor_slot(width, j + 1, x)];
		west = mlssor_update(u, west, east, row[at - pitch], row[at + pitch], omega);
		row[at] = west;
		u = east;
	}
}

__device__ __forceinline__ void update_tile(const struct mlssor_block &b, int32_t width,
					    float *tile, float omega)
{
	for (int32_t q = 0; q < b.rows.layers; q++) {
		const struct mlssor_range rows = mlssor_tile(&b.rows, b.s, b.tile_row, q),
					  columns = mlssor_tile(&b.columns, b.t, b.tile_column, q);
		if (columns.begin < columns.end)
			for (int32_t i = rows.begin; i < rows.end; i++)
				update_row(tile + (i - b.row0) * mlssor_pitch(width), width,
					   columns.begin - b.column0, columns.end - b.column0,
					   omega);
	}
}

/* Subdomains within the mesh, SIDE x SIDE points: every loop written out. */
template <int ROW, int COLUMN, int SIDE>
__device__ __forceinline__ void update_inner(float *tile, float omega)
{
	const int32_t x = (int32_t)threadIdx.x, pitch = mlssor_pitch(SIDE);

#pragma unroll
	for (int q = 0; q < SIDE / 2; q++)
#pragma unroll
		for (int i = mlssor_low<ROW, SIDE>(q); i < mlssor_high<ROW, SIDE>(q); i++) {
			float *row = tile + i * pitch;
			const int begin = mlssor_low<COLUMN, SIDE>(q);
			float west = row[mlssor_slot(SIDE, begin - 1, x)],
			      u = row[mlssor_slot(SIDE, begin, x)];
#pragma unroll
			for (int j = begin; j < mlssor_high<COLUMN, SIDE>(q); j++) {
				const int32_t at = mlssor_slot(SIDE, j, x);
				const float east = row[mlssor_slot(SIDE, j + 1, x)];
				west = mlssor_update(u, west, east, row[at - pitch],
						     row[at + pitch], omega);
				row[at] = west;
				u = east;
			}
		}
}

/* SIDE 0: loops as the arguments say. */
template <int ROW, int COLUMN, int SIDE, bool COALESCED>
__device__ __forceinline__ void full_tile(const struct mlssor_sweep &sweep, bool transposed,
					  uint32_t block_x)
{
	float *tile = (float *)dynamic_shared;
	const int32_t width = SIDE ? SIDE : sweep.width;
	struct mlssor_block b;

	if (!mlssor_block_begin(sweep, transposed, block_x, &b))
		return;
	if (COALESCED)
		block_box<false>(b, width, tile);
	else
		own_box<false>(b, width, tile);
	__syncthreads();
	if (SIDE && b.active && mlssor_inner(b.rows, b.s) && mlssor_inner(b.columns, b.t))
		update_inner<ROW, COLUMN, SIDE ? SIDE : 2>(tile, sweep.omega);
	else if (b.active)
		update_tile(b, width, tile, sweep.omega);
	__syncthreads();
	if (COALESCED)
		block_box<true>(b, width, tile);
	else
		own_box<true>(b, width, tile);
}

#define MLSSOR_full(form, side, coalesced)                                                         \
	MLSSOR_KERNELS(MLSSOR_NAME_##side, full, form, full_tile, side, coalesced)
#define MLSSOR_rows(form, side, coalesced)
#define MLSSOR_FORM(kernel, form, side, rows_only, coalesced) MLSSOR_##kernel(form, side, coalesced)
#include "mlssor_forms.def"
#undef MLSSOR_full

#define MLSSOR_full(form, side, coalesced)                                                         \
	MLSSOR_LAUNCHERS(MLSSOR_NAME_##side, full, form, mlssor_full_geometry)
extern "C" const struct cuda_kernel mlssor_full_kernels[] = {
#include "mlssor_forms.def"
	{ 0, 0 },
};
