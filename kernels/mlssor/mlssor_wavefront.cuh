/* SPDX-License-Identifier: MIT
 * Tiles of 16x16 as mlssor_chunked.cuh and mlssor_staged.cuh have them, in three ways quicker:
 *
 * - K12 and K21 in one launch are made in registers, all layers under way at once. Layer q of row i
 *   follows layer q - 1 of row i + 1, so that eight layers are eight chains of sums that wait for
 *   each other a column apart (a wavefront), and a point goes through shared memory twice, not
 *   twice a layer. 344 updates of straight code fit what is near of instructions; the 680 of K11
 *   and K22 do not, and gain nothing by it.
 * - Tiles at an edge of the mesh have a shape of their own. Blocks of their own, the grid's last
 *   column, make them, a lane a layer; others leave them out when they put back.
 * - Printed planes lie at 16 bytes' alignment backward, too.
 *
 * An update needs the newest value of points above and left of it, and the value of the layer
 * before right of and below it. Any order that respects this gives the same bits as the order of
 * (layer, row, column).
 */
#ifndef WARPREEL_MLSSOR_WAVEFRONT_CUH
#define WARPREEL_MLSSOR_WAVEFRONT_CUH

#include "mlssor_chunked.cuh"

/* Of `most` subdomains from `first` on along an axis: those whose tile has the shape of tiles
 * within the mesh, [begin, end). The first subdomain's has not if it is of the first part, the last
 * one's if it is of the second. */
template <int PART>
__device__ __forceinline__ struct mlssor_range wave_plain_of(const struct mlssor_axis &axis,
							     int32_t first, int32_t most)
{
	const int32_t left = axis.count - first - PART;
	const struct mlssor_range plain = { !PART && first == 0, left < most ? left : most };

	return plain;
}

/* ---- tiles at an edge ---- */

/* Words of a row of such a tile's box in shared memory, and from a box to the next. */
enum { EDGE_ROW = SIDE16 + 1, EDGE_BOX = EDGE_ROW * EDGE_ROW, EDGE_TILES = LANES / K16 };

/* A tile at an edge, which eight lanes of a warp have. */
struct wave_edge {
	int32_t s, t, row0, column0;
	bool there;
	float *box;
};

/* The one with index e: those of a column of subdomains, then those of a row. */
template <int ROW, int COLUMN>
__device__ __forceinline__ struct wave_edge wave_edge_at(const struct mlssor_sweep &sweep,
							 const struct staged &b, int32_t e)
{
	const int32_t rows = sweep.end - sweep.begin, s = ROW ? b.rows.count - 1 : 0,
		      t = COLUMN ? b.columns.count - 1 : 0;
	struct wave_edge edge = { s, t, 0, 0, e < rows, NULL };

	if (e < rows) {
		edge.s = sweep.begin + e;
	} else {
		edge.t = e - rows;
		edge.there = s >= sweep.begin && s < sweep.end && edge.t < b.columns.count &&
			     edge.t != t;
	}
	edge.row0 = mlssor_box(&b.rows, edge.s, ROW);
	edge.column0 = mlssor_box(&b.columns, edge.t, COLUMN);
	edge.box = (float *)dynamic_shared + (b.warp * EDGE_TILES + b.lane / K16) * EDGE_BOX;
	return edge;
}

/* Its box into shared memory: columns l, l + 8 and l + 16 a lane l of its eight. */
__device__ __forceinline__ void wave_edge_fetch(const struct staged &b, const struct wave_edge &e)
{
#pragma unroll
	for (int32_t j = b.lane % K16; j <= SIDE16; j += K16) {
		const float *from = mlssor_at(b.view, e.row0, e.column0 + j);
		if (!e.there || !mlssor_stored(b.columns, e.column0 + j))
			continue;
#pragma unroll
		for (int32_t i = 0; i <= SIDE16; i++)
			if (mlssor_stored(b.rows, e.row0 + i))
				fetch_word(e.box + i * EDGE_ROW + j, from + i * b.view.row);
	}
	fetched_alone();
	__syncwarp();
}

/* Its layers: lane q has layer q, and is two rows behind layer q - 1. The row before the one it
 * makes stays in its registers, and so does the one after. */
template <int ROW, int COLUMN>
__device__ __forceinline__ void wave_edge_tile(const struct staged &b, const struct wave_edge &e,
					       float omega)
{
	const int32_t q = b.lane % K16;
	struct mlssor_range rows = mlssor_tile(&b.rows, e.s, ROW, q),
			    columns = mlssor_tile(&b.columns, e.t, COLUMN, q);
	float above[SIDE16 + 1], here[SIDE16 + 1], below[SIDE16 + 1];

	rows.begin -= e.row0;
	rows.end = e.there ? rows.end - e.row0 : rows.begin;
	columns.begin -= e.column0;
	columns.end -= e.column0;
#pragma unroll 1
	for (int32_t step = 1; step < 4 * K16; step++) {
		const int32_t i = step - 2 * q;
		float *row = e.box + i * EDGE_ROW;

		if (i >= rows.begin && i < rows.end) {
#pragma unroll
			for (int j = 0; j <= SIDE16; j++) {
				above[j] = i == rows.begin ? row[j - EDGE_ROW] : here[j];
				here[j] = i == rows.begin ? row[j] : below[j];
				below[j] = row[j + EDGE_ROW];
			}
#pragma unroll
			for (int j = 1; j < SIDE16; j++) {
				const float next = chunk_update(here[j], here[j - 1], here[j + 1],
								above[j], below[j], omega);
				if (j >= columns.begin && j < columns.end)
					row[j] = here[j] = next;
			}
		}
		__syncwarp();
	}
}

template <int ROW, int COLUMN>
__device__ __forceinline__ void wave_edge_back(const struct staged &b, const struct wave_edge &e)
{
#pragma unroll
	for (int32_t j = b.lane % K16; j < SIDE16; j += K16) {
		const struct mlssor_range columns =
			staged_layers<COLUMN, SIDE16>(b.columns, e.t, j);
		float *to = mlssor_at(b.view, e.row0, e.column0 + j);
#pragma unroll
		for (int32_t i = 1; i < SIDE16; i++) {
			const struct mlssor_range rows = staged_layers<ROW, SIDE16>(b.rows, e.s, i);
			if (e.there && j && rows.begin < columns.end && columns.begin < rows.end &&
			    rows.begin < rows.end && columns.begin < columns.end)
				to[i * b.view.row] = e.box[i * EDGE_ROW + j];
		}
	}
	__syncwarp();
}

/* Four tiles at an edge a warp and turn. warp: of `warps` that have tiles of this kind. */
template <int ROW, int COLUMN>
__device__ __forceinline__ void wave_edges(const struct mlssor_sweep &sweep, const struct staged &b,
					   int32_t warp, int32_t warps)
{
	const int32_t groups = (int32_t)gridDim.y * (int32_t)gridDim.z,
		      group = (int32_t)(blockIdx.z * gridDim.y + blockIdx.y),
		      all = sweep.end - sweep.begin + b.columns.count;

#pragma unroll 1
	for (int32_t first = (group * warps + warp) * EDGE_TILES; first < all;
	     first += groups * warps * EDGE_TILES) {
		const struct wave_edge e =
			wave_edge_at<ROW, COLUMN>(sweep, b, first + b.lane / K16);
		wave_edge_fetch(b, e);
		wave_edge_tile<ROW, COLUMN>(b, e, sweep.omega);
		wave_edge_back<ROW, COLUMN>(b, e);
	}
}

/* ---- K11, K12, K21, K22 in chunks ---- */

/*
 * The plain tiles of a region to memory, with what nobody updates of a chunk beside what was
 * updated, for chunks that are stored in one piece are quicker. chunk_put_back is quicker where all
 * tiles are plain.
 */
template <int ROW, int COLUMN, int BACKWARD>
__device__ __forceinline__ void wave_chunks_back(const struct staged &b, const float *region,
						 struct mlssor_range rows,
						 struct mlssor_range columns)
{
	constexpr int32_t COUNT = chunk_row<false>() / CHUNK, TAIL = COUNT - LANES * 4,
			  STEP = BACKWARD ? -CHUNK : CHUNK;
	const int32_t slot = chunk_slot(b.lane), begin = columns.begin * SIDE16,
		      end = columns.end * SIDE16;
	float *line = mlssor_at(b.view, b.row0, b.column0) + b.lane * STEP - (BACKWARD > 1);

#pragma unroll 1
	for (int32_t i = 1 + rows.begin * SIDE16 + b.warp; i < rows.end * SIDE16; i += b.warps) {
		float *u = line + i * b.view.row;
		const float *from = region + i * chunk_row<false>() + slot;

		if (!chunk_mask<ROW, COLUMN, BACKWARD>(i, b.lane))
			continue;
#pragma unroll
		for (int32_t m = 0; m <= 4; m++) {
			const int32_t k = b.lane + m * LANES, first = column_of<BACKWARD>(k, 0),
				      last = column_of<BACKWARD>(k, CHUNK - 1),
				      low = first < last ? first : last;

			if ((m == 4 && b.lane >= TAIL) || low + CHUNK <= begin || low >= end)
				continue;
			const float4 v = *(const float4 *)(from + m * CHUNK * LANES);
			float *to = u + m * STEP * LANES;
			if (low >= begin && low + CHUNK <= end) {
				*(float4 *)to = v;
				continue;
			}
			const float word[CHUNK] = { v.x, v.y, v.z, v.w };
#pragma unroll
			for (int32_t w = 0; w < CHUNK; w++)
				if (column_of<BACKWARD>(k, w) >= begin &&
				    column_of<BACKWARD>(k, w) < end)
					to[w] = word[w];
		}
	}
}

template <int ROW, int COLUMN, int BACKWARD>
__device__ __forceinline__ void wave_chunk_region(const struct staged &b, float omega)
{
	float *region = (float *)dynamic_shared;
	const struct mlssor_range rows = wave_plain_of<ROW>(b.rows, b.s, b.high),
				  columns = wave_plain_of<COLUMN>(b.columns, b.t, LANES);
	const bool stored = b.row0 >= 0 && b.column0 >= CHUNK &&
			    mlssor_stored(b.rows, b.row0 + b.region_rows - 1) &&
			    mlssor_stored(b.columns, b.column0 + chunk_row<false>());
	int32_t at[TILE_CHUNKS];

	if (stored)
		chunk_fetch<false, BACKWARD, false>(b, region);
	else
		chunk_fetch<false, BACKWARD, true>(b, region);
#pragma unroll
	for (int32_t k = 0; k < TILE_CHUNKS; k++)
		at[k] = chunk_slot(b.lane * 4 + k);
	if (b.warp >= rows.begin && b.warp < rows.end)
		chunk_tile<ROW, COLUMN, false, BACKWARD, false>(
			b, region + b.warp * SIDE16 * chunk_row<false>(), at, b.s + b.warp,
			b.t + b.lane, true, omega);
	__syncthreads();
	if (rows.begin == 0 && rows.end == b.high && columns.begin == 0 && columns.end == LANES)
		chunk_put_back<ROW, COLUMN, false, BACKWARD, false>(b, region);
	else
		wave_chunks_back<ROW, COLUMN, BACKWARD>(b, region, rows, columns);
}

/* ---- K12 and K21 in registers ---- */

/* Whether K12's tile updates box point (i, j), and whether it reads it. */
__device__ __forceinline__ bool wave_updates(int i, int j)
{
	return staged_updates<0, 1, SIDE16>(i, j);
}
__device__ __forceinline__ bool wave_reads(int i, int j)
{
	return wave_updates(i, j) || wave_updates(i - 1, j) || wave_updates(i + 1, j) ||
	       wave_updates(i, j - 1) || wave_updates(i, j + 1);
}

typedef float wave_box[SIDE16 + 1][SIDE16 + 1]; /* a tile's points in registers */

/* K12's box as it is, K21's with rows and columns exchanged. */
template <bool STORE>
__device__ __forceinline__ void wave_move(wave_box &u, float *box, bool exchanged)
{
	constexpr int32_t ROW_WORDS = SIDE16 * stride_of<SIDE16>();

#pragma unroll
	for (int i = 0; i <= SIDE16; i++)
#pragma unroll
		for (int j = 0; j <= SIDE16; j++) {
			float *at = exchanged ? box + j * ROW_WORDS + column_at<SIDE16, 0>(i)
					      : box + i * ROW_WORDS + column_at<SIDE16, K16>(j);
			if (STORE && wave_updates(i, j))
				*at = u[i][j];
			if (!STORE && wave_reads(i, j))
				u[i][j] = *at;
		}
}

/* A tile within the mesh. K21's is K12's with rows and columns exchanged, and an update is the
 * same then, to the bit: both kinds of warp run one code. */
__device__ __forceinline__ void wave_tile(float *box, bool exchanged, float omega)
{
	wave_box u;

	if (exchanged)
		wave_move<false>(u, box, true);
	else
		wave_move<false>(u, box, false);
#pragma unroll
	for (int t = 1; t < SIDE16; t++)
#pragma unroll
		for (int q = 0; q < K16; q++) {
			const int i = t - q;
			if (i < mlssor_low<0, SIDE16>(q) || i >= mlssor_high<0, SIDE16>(q))
				continue;
#pragma unroll
			for (int j = mlssor_low<1, SIDE16>(q); j < mlssor_high<1, SIDE16>(q); j++)
				u[i][j] = chunk_update(u[i][j], u[i][j - 1], u[i][j + 1],
						       u[i - 1][j], u[i + 1][j], omega);
		}
	if (exchanged)
		wave_move<true>(u, box, true);
	else
		wave_move<true>(u, box, false);
}

/*
 * The plain tiles of a region to memory. Rows and columns that K12's tiles and K21's both have are
 * the block's alone, and go whole; above, below and beside them is a part of another block's tiles.
 * EDGE: of blocks with others than plain tiles, too.
 */
template <bool BACKWARD, bool EDGE>
__device__ __forceinline__ void wave_put_back(const struct staged &b, const float *region)
{
	constexpr int32_t ROW_WORDS = SIDE16 * stride_of<SIDE16>();
	const struct mlssor_range rows12 = wave_plain_of<0>(b.rows, b.s, b.high),
				  rows21 = wave_plain_of<1>(b.rows, b.s, b.high),
				  columns12 = wave_plain_of<1>(b.columns, b.t, LANES),
				  columns21 = wave_plain_of<0>(b.columns, b.t, LANES);
	const int32_t j = b.lane % SIDE16, end12 = columns12.end * SIDE16 + K16,
		      end = columns12.end < LANES ? end12 : LANES * SIDE16;
	const float *cell = region + j * stride_of<SIDE16>() + b.lane / SIDE16;
	float *line = mlssor_at(b.view, b.row0, b.column0) + (BACKWARD ? -b.lane : b.lane);

#pragma unroll 1
	for (int32_t i = 1 + b.warp; i < b.region_rows; i += b.warps) {
		float value[SIDE16 + 1];
		float *u = line + i * b.view.row;
		const bool one = i >= rows12.begin * SIDE16 && i < b.high * SIDE16 &&
				 staged_updates<0, 1, SIDE16>(i % SIDE16, (j + K16) % SIDE16),
			   other = i >= K16 && i < rows21.end * SIDE16 + K16 &&
				   staged_updates<1, 0, SIDE16>((i - K16) % SIDE16, j),
			   alone = i >= (rows12.begin ? SIDE16 : K16) &&
				   i <= rows21.end * SIDE16 + (rows21.end < b.high ? K16 : 0);
#pragma unroll
		for (int32_t m = 0; m <= SIDE16; m++)
			value[m] = m < SIDE16 || b.lane < K16
					   ? cell[i * ROW_WORDS + m * (LANES / SIDE16)]
					   : 0;
#pragma unroll
		for (int32_t m = 0; m <= SIDE16; m++) {
			const int32_t c = b.lane + m * LANES;
			const bool first = m || b.lane >= K16, last = m == SIDE16,
				   one_here = first && (EDGE ? c < end12 : !last || b.lane < K16),
				   other_here = !last && (!EDGE || (c >= columns21.begin * SIDE16 &&
								    c < columns21.end * SIDE16)),
				   here = first && !last &&
					  (!EDGE || (c >= columns21.begin * SIDE16 && c < end));
			if ((one && one_here) || (other && other_here) || (alone && here))
				u[BACKWARD ? -m * LANES : m * LANES] = value[m];
		}
	}
}

template <bool BACKWARD>
__device__ __forceinline__ void wave_region(const struct staged &b, float omega)
{
	float *region = (float *)dynamic_shared;
	const int32_t high = b.warp / 2, lower = b.warp % 2; /* lower: K21's */
	const bool inner = staged_inner(b);
	const struct mlssor_range rows = lower ? wave_plain_of<1>(b.rows, b.s, b.high)
					       : wave_plain_of<0>(b.rows, b.s, b.high);

	if (inner)
		fetch<SIDE16, true, BACKWARD, false>(b, region);
	else
		fetch<SIDE16, true, BACKWARD, true>(b, region);
	if (high >= rows.begin && high < rows.end)
		wave_tile(region + (high * SIDE16 + lower * K16) * SIDE16 * stride_of<SIDE16>() +
				  b.lane,
			  lower, omega);
	__syncthreads();
	if (inner)
		wave_put_back<BACKWARD, false>(b, region);
	else
		wave_put_back<BACKWARD, true>(b, region);
}

/* ---- a block ---- */

template <int ROW, int COLUMN, bool FUSED>
__device__ __forceinline__ void wave_block(const struct mlssor_sweep &sweep)
{
	struct staged b;

	if (!staged_begin<ROW, COLUMN, SIDE16, FUSED>(sweep, &b))
		return;
	const bool edges = blockIdx.x == gridDim.x - 1;
	if constexpr (FUSED) {
		if (edges && b.warp % 2)
			wave_edges<1, 0>(sweep, b, b.warp / 2, b.warps / 2);
		else if (edges)
			wave_edges<0, 1>(sweep, b, b.warp / 2, b.warps / 2);
		else if (sweep.backward)
			wave_region<true>(b, sweep.omega);
		else
			wave_region<false>(b, sweep.omega);
	} else if (edges)
		wave_edges<ROW, COLUMN>(sweep, b, b.warp, b.warps);
	else if (!sweep.backward)
		wave_chunk_region<ROW, COLUMN, 0>(b, sweep.omega);
	else if (chunks_aligned<1>(b))
		wave_chunk_region<ROW, COLUMN, 1>(b, sweep.omega);
	else
		wave_chunk_region<ROW, COLUMN, 2>(b, sweep.omega);
}

#endif
