/* SPDX-License-Identifier: MIT
 * Tiles of 16x16 staged in chunks of four words, as mlssor_staged.cuh does word by word: a quarter
 * of the instructions that copy, read and write shared memory.
 *
 * Columns of the region count from its first, in the order of the sweep. Forward, chunk k holds
 * columns 4k to 4k + 3; backward, where memory runs the other way, 4k - 3 to 4k, the last of them
 * first (BACKWARD 1), or 4k - 2 to 4k + 1 (BACKWARD 2, kernel wavefront alone). Chunks of planes
 * of both kinds are at 16 bytes' alignment but for printed ones backward, which want the latter. In
 * shared memory chunks of a tile change places (chunk_slot), so that eight lanes with tiles side by
 * side find all banks.
 */
#ifndef WARPREEL_MLSSOR_CHUNKED_CUH
#define WARPREEL_MLSSOR_CHUNKED_CUH

#include "mlssor_staged.cuh"

enum { SIDE16 = 16, K16 = 8, CHUNK = 4, TILE_CHUNKS = 5 };

/* Words of a row of the region: 32 tiles, a column more and, fused, half a tile. */
template <bool FUSED> __device__ constexpr int32_t chunk_row()
{
	return LANES * SIDE16 + CHUNK + FUSED * K16;
}

template <int BACKWARD> __device__ constexpr int chunk_of(int c)
{
	return BACKWARD ? (c + CHUNK - BACKWARD) / CHUNK : c / CHUNK;
}
/* The column of word w of chunk k. */
template <int BACKWARD> __device__ constexpr int column_of(int k, int w)
{
	return BACKWARD ? CHUNK * k + BACKWARD - 1 - w : CHUNK * k + w;
}
template <int BACKWARD> __device__ constexpr int word_of(int c)
{
	return BACKWARD ? column_of<BACKWARD>(chunk_of<BACKWARD>(c), 0) - c : c % CHUNK;
}

/* Where chunk k is in a row of the region, in words. */
__device__ __forceinline__ int32_t chunk_slot(int32_t k)
{
	return CHUNK * ((k & ~3) | ((k ^ (k >> 3)) & 3));
}

__device__ __forceinline__ void fetch_chunk(float *to, const float *from)
{
#ifdef __CUDA_ARCH__
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
			     (uint32_t)__cvta_generic_to_shared(to)),
		     "l"(from));
#else
	*(float4 *)to = *(const float4 *)from;
#endif
}

/* mlssor_update with a step less: a quarter of a sum is exact (of sums above 2^-124), and so is
 * rounded once either way. */
__device__ __forceinline__ float chunk_update(float u, float west, float east, float north,
					      float south, float omega)
{
#ifdef __CUDA_ARCH__
	return u + omega * __fmaf_rn(0.25f, (west + east) + (north + south), -u);
#else
	return mlssor_update(u, west, east, north, south, omega);
#endif
}

/* Whether chunks of rows of the grid are aligned. */
template <int BACKWARD> __device__ __forceinline__ bool chunks_aligned(const struct staged &b)
{
	return (uintptr_t)(mlssor_at(b.view, b.row0, b.column0) - (BACKWARD > 1)) % 16 == 0 &&
	       b.view.row % CHUNK == 0;
}

/* The region into shared memory, all of it under way at once. EDGE: without columns and rows that
 * are not stored; of any alignment. */
template <bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_fetch(const struct staged &b, float *region)
{
	constexpr int32_t COUNT = chunk_row<FUSED>() / CHUNK, TAIL = COUNT - LANES * 4,
			  STEP = BACKWARD ? -CHUNK : CHUNK;
	const int32_t slot = chunk_slot(b.lane);
	const float *line = mlssor_at(b.view, b.row0, b.column0) + b.lane * STEP - (BACKWARD > 1);
	const bool aligned = !EDGE || chunks_aligned<BACKWARD>(b);

#pragma unroll 1
	for (int32_t i = b.warp; i < b.region_rows; i += b.warps) {
		const float *u = line + i * b.view.row;
		float *to = region + i * chunk_row<FUSED>() + slot;

		if (EDGE && !mlssor_stored(b.rows, b.row0 + i))
			continue;
#pragma unroll
		for (int32_t m = 0; m <= 4; m++) {
			const int32_t k = b.lane + m * LANES;

			if (m == 4 && b.lane >= TAIL)
				continue;
			if (!EDGE ||
			    (aligned &&
			     mlssor_stored(b.columns, b.column0 + column_of<BACKWARD>(k, 0)) &&
			     mlssor_stored(b.columns, b.column0 + column_of<BACKWARD>(k, 3)))) {
				fetch_chunk(to + m * CHUNK * LANES, u + m * STEP * LANES);
				continue;
			}
			if constexpr (EDGE)
#pragma unroll
				for (int32_t w = 0; w < CHUNK; w++)
					if (mlssor_stored(b.columns,
							  b.column0 + column_of<BACKWARD>(k, w)))
						fetch_word(to + m * CHUNK * LANES + w,
							   u + m * STEP * LANES + w);
		}
	}
	fetched();
}

/* ---- a tile ---- */

/* Columns [FIRST, LAST] of a box's row. at: where its chunks are. */
template <int FIRST, int LAST, int BACKWARD>
__device__ __forceinline__ void chunk_load(const float *row, const int32_t (&at)[TILE_CHUNKS],
					   float (&line)[SIDE16 + 1])
{
#pragma unroll
	for (int k = chunk_of<BACKWARD>(FIRST); k <= chunk_of<BACKWARD>(LAST); k++) {
		const float4 v = *(const float4 *)(row + at[k]);
		const float word[CHUNK] = { v.x, v.y, v.z, v.w };
#pragma unroll
		for (int w = 0; w < CHUNK; w++) {
			const int c = column_of<BACKWARD>(k, w);
			if (c >= 0 && c <= SIDE16)
				line[c] = word[w];
		}
	}
}

/* Columns [LOW, HIGH). WHOLE: and what is in one chunk with them, which nobody else writes. */
template <int LOW, int HIGH, int BACKWARD, bool WHOLE>
__device__ __forceinline__ void chunk_store(float *row, const int32_t (&at)[TILE_CHUNKS],
					    const float (&line)[SIDE16 + 1])
{
#pragma unroll
	for (int k = chunk_of<BACKWARD>(LOW); k <= chunk_of<BACKWARD>(HIGH - 1); k++) {
		float word[CHUNK];
		bool mine[CHUNK];
#pragma unroll
		for (int w = 0; w < CHUNK; w++) {
			const int c = column_of<BACKWARD>(k, w);
			mine[w] = (WHOLE && c >= 0 && c <= SIDE16) || (c >= LOW && c < HIGH);
			word[w] = c >= 0 && c <= SIDE16 ? line[c] : 0;
		}
		float *to = row + at[k];
		if (mine[0] && mine[1] && mine[2] && mine[3]) {
			*(float4 *)to = float4{ word[0], word[1], word[2], word[3] };
			continue;
		}
#pragma unroll
		for (int w = 0; w < CHUNK; w += 2)
			if (mine[w] && mine[w + 1])
				*(float2 *)(to + w) = float2{ word[w], word[w + 1] };
			else if (mine[w])
				to[w] = word[w];
			else if (mine[w + 1])
				to[w + 1] = word[w + 1];
	}
}

/* Layers 2 PAIR and 2 PAIR + 1 share their code, or it would not fit the instruction cache: that of
 * the wider, whose outermost columns the narrower leaves as they are. Columns [from, to) of it. */
template <int COLUMN, bool EDGE> __device__ constexpr int pair_from(int pair)
{
	const int one = tile_from<COLUMN, SIDE16, EDGE>(2 * pair),
		  other = tile_from<COLUMN, SIDE16, EDGE>(2 * pair + 1);
	return one < other ? one : other;
}
template <int COLUMN, bool EDGE> __device__ constexpr int pair_to(int pair)
{
	const int one = tile_to<COLUMN, SIDE16, EDGE>(2 * pair),
		  other = tile_to<COLUMN, SIDE16, EDGE>(2 * pair + 1);
	return one > other ? one : other;
}

/*
 * ROWS rows of a tile at one layer, or the first `count` of them, each a column behind the one
 * above it, so that they have nothing to wait for each other for. above, here: the row before them
 * and the first of them; then the last of ROWS and what follows it. Columns that a lane has not are
 * left as they are: within a tile of its own, or on the border of two that nobody updates.
 */
template <int ROWS, int LOW, int HIGH, bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_step(float *row, const int32_t (&at)[TILE_CHUNKS],
					   float (&above)[SIDE16 + 1], float (&here)[SIDE16 + 1],
					   int32_t count, struct mlssor_range columns, float omega)
{
	constexpr int32_t ROW_WORDS = chunk_row<FUSED>();
	float line[ROWS + 1][SIDE16 + 1];

#pragma unroll
	for (int j = 0; j <= SIDE16; j++)
		line[0][j] = here[j];
#pragma unroll
	for (int r = 1; r <= ROWS; r++)
		if (r == 1 || r <= count)
			chunk_load<LOW - 1, HIGH, BACKWARD>(row + r * ROW_WORDS, at, line[r]);
#pragma unroll
	for (int j = LOW; j < HIGH + ROWS - 1; j++)
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			const int k = j - r;
			if (k < LOW || k >= HIGH)
				continue;
			const float next = chunk_update(line[r][k], line[r][k - 1], line[r][k + 1],
							r ? line[r ? r - 1 : 0][k] : above[k],
							line[r + 1][k], omega);
			if ((!EDGE && k > LOW && k < HIGH - 1) ||
			    (k >= columns.begin && k < columns.end)) {
				line[r][k] = next;
				if (EDGE && FUSED && (!r || r < count))
					row[r * ROW_WORDS + at[chunk_of<BACKWARD>(k)] +
					    word_of<BACKWARD>(k)] = next;
			}
		}
	if (!EDGE || !FUSED)
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			if (!r || r < count)
				chunk_store<LOW, HIGH, BACKWARD, !FUSED>(row + r * ROW_WORDS, at,
									 line[r]);
#pragma unroll
	for (int j = 0; j <= SIDE16; j++) {
		above[j] = line[ROWS - 1][j];
		here[j] = line[ROWS][j];
	}
}

template <int LOW, int HIGH, bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_rows(float *row, const int32_t (&at)[TILE_CHUNKS],
					   int32_t count, struct mlssor_range columns, float omega)
{
	constexpr int32_t ROW_WORDS = chunk_row<FUSED>(), MANY = MLSSOR_CHUNKED_AT_ONCE;
	float above[SIDE16 + 1], here[SIDE16 + 1];

	chunk_load<LOW, HIGH - 1, BACKWARD>(row - ROW_WORDS, at, above);
	chunk_load<LOW - 1, HIGH, BACKWARD>(row, at, here);
#pragma unroll 1
	for (; count > 0; count -= MANY, row += MANY * ROW_WORDS)
		chunk_step<MANY, LOW, HIGH, FUSED, BACKWARD, EDGE>(row, at, above, here, count,
								   columns, omega);
}

/* One tile, layer by layer, as staged_tile. */
template <int ROW, int COLUMN, bool FUSED, int BACKWARD, bool EDGE, int PAIR = 0>
__device__ __forceinline__ void chunk_tile(const struct staged &b, float *box,
					   const int32_t (&at)[TILE_CHUNKS], int32_t s, int32_t t,
					   bool active, float omega)
{
#pragma unroll 1
	for (int32_t q = 2 * PAIR; q < 2 * PAIR + 2; q++) {
		struct mlssor_range rows = { mlssor_low<ROW, SIDE16>(q),
					     mlssor_high<ROW, SIDE16>(q) },
				    columns = { mlssor_low<COLUMN, SIDE16>(q),
						mlssor_high<COLUMN, SIDE16>(q) };
		if (EDGE) {
			const int32_t row0 = mlssor_box(&b.rows, s, ROW),
				      column0 = mlssor_box(&b.columns, t, COLUMN);
			rows = mlssor_tile(&b.rows, s, ROW, q);
			columns = mlssor_tile(&b.columns, t, COLUMN, q);
			rows.begin -= row0;
			rows.end -= row0;
			columns.begin -= column0;
			columns.end = active ? columns.end - column0 : columns.begin;
		}
		if (!EDGE || rows.begin < rows.end)
			chunk_rows<pair_from<COLUMN, EDGE>(PAIR), pair_to<COLUMN, EDGE>(PAIR),
				   FUSED, BACKWARD, EDGE>(box + rows.begin * chunk_row<FUSED>(), at,
							  rows.end - rows.begin, columns, omega);
	}
	if constexpr (2 * PAIR + 2 < K16)
		chunk_tile<ROW, COLUMN, FUSED, BACKWARD, EDGE, PAIR + 1>(b, box, at, s, t, active,
									 omega);
}

template <int ROW, int COLUMN, bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_tiles(const struct staged &b, float *region, float omega)
{
	constexpr int32_t ROW_WORDS = chunk_row<FUSED>();
	const int32_t high = FUSED ? b.warp / 2 : b.warp, s = b.s + high, t = b.t + b.lane,
		      first = b.lane * 4 + (FUSED && b.warp % 2 == 0 ? K16 / CHUNK : 0);
	float *box = region + high * SIDE16 * ROW_WORDS;
	const bool active = t < b.columns.count;
	int32_t at[TILE_CHUNKS];

	if (high >= b.high)
		return;
#pragma unroll
	for (int32_t k = 0; k < TILE_CHUNKS; k++)
		at[k] = chunk_slot(first + k);
	if (!FUSED)
		chunk_tile<ROW, COLUMN, false, BACKWARD, EDGE>(b, box, at, s, t, active, omega);
	else if (b.warp % 2)
		chunk_tile<1, 0, true, BACKWARD, EDGE>(b, box + K16 * ROW_WORDS, at, s, t, active,
						       omega);
	else
		chunk_tile<0, 1, true, BACKWARD, EDGE>(b, box, at, s, t, active, omega);
}

/* ---- back to memory ---- */

/* The words of chunk k, bit w for word w, that inner tiles (ROW, COLUMN) have in row i of their
 * boxes. */
template <int ROW, int COLUMN, int BACKWARD>
__device__ __forceinline__ uint32_t chunk_mask(int32_t i, int32_t k)
{
	uint32_t mask = 0;

#pragma unroll
	for (int32_t w = 0; w < CHUNK; w++)
		mask |= (uint32_t)staged_updates<ROW, COLUMN, SIDE16>(
				i % SIDE16, column_of<BACKWARD>(k, w) & (SIDE16 - 1))
			<< w;
	return mask;
}

template <int ROW, int COLUMN, bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_put_back(const struct staged &b, const float *region)
{
	constexpr int32_t COUNT = chunk_row<FUSED>() / CHUNK, TAIL = COUNT - LANES * 4,
			  STEP = BACKWARD ? -CHUNK : CHUNK;
	const int32_t slot = chunk_slot(b.lane);
	float *line = mlssor_at(b.view, b.row0, b.column0) + b.lane * STEP - (BACKWARD > 1);
	const bool aligned = !EDGE || chunks_aligned<BACKWARD>(b);

#pragma unroll 1
	for (int32_t i = 1 + b.warp; i < b.region_rows; i += b.warps) {
		float *u = line + i * b.view.row;
		const float *from = region + i * chunk_row<FUSED>() + slot;
		/* Inner tiles of every 32nd chunk are alike. */
		const uint32_t one = FUSED ? (i < b.high * SIDE16 ? chunk_mask<0, 1, BACKWARD>(
									    i, b.lane + K16 / CHUNK)
								  : 0)
					   : chunk_mask<ROW, COLUMN, BACKWARD>(i, b.lane),
			       other = FUSED && i >= K16
					       ? chunk_mask<1, 0, BACKWARD>(i - K16, b.lane)
					       : 0;
		const struct mlssor_range one_rows = edge_rows < FUSED ? 0 : ROW, SIDE16 > (b, i),
					  other_rows = edge_rows<1, SIDE16>(b, i - K16);
#pragma unroll
		for (int32_t m = 0; m <= 4; m++) {
			const int32_t k = b.lane + m * LANES;
			uint32_t mask = 0;
			bool alone = false; /* nobody else writes what is not in mask */

			if (m == 4 && b.lane >= TAIL)
				continue;
			if (EDGE) {
#pragma unroll
				for (int32_t w = 0; w < CHUNK; w++) {
					const int32_t c = column_of<BACKWARD>(k, w);
					const bool mine = FUSED ? edge_updates<1, SIDE16>(
									  b, one_rows, c - K16) ||
									  edge_updates<0, SIDE16>(
										  b, other_rows, c)
								: edge_updates<COLUMN, SIDE16>(
									  b, one_rows, c);
					mask |= (uint32_t)mine << w;
				}
			} else if (FUSED) {
#pragma unroll
				for (int32_t w = 0; w < CHUNK; w++) {
					const int32_t c = column_of<BACKWARD>(k, w);
					if ((m || c >= K16) && (m < 4 || c < LANES * SIDE16 + K16))
						mask |= one & 1u << w;
					if ((m || c > 0) && (m < 4 || c < LANES * SIDE16))
						mask |= other & 1u << w;
				}
				alone = i >= K16 && i <= b.high * SIDE16 &&
					(m || CHUNK * k >= K16 + CHUNK) && m < 4;
			} else {
				mask = m < 4 || BACKWARD ? one : 0;
				if (BACKWARD && !k)
					mask = BACKWARD > 1 ? one & 3 : 0;
				if (BACKWARD > 1 && m == 4)
					mask = one & 12;
				alone = BACKWARD < 2 || (k && m < 4);
			}
			if (!mask)
				continue;
			const float4 v = *(const float4 *)(from + m * CHUNK * LANES);
			float *to = u + m * STEP * LANES;
			if (aligned && (mask == 15 || alone)) {
				*(float4 *)to = v;
				continue;
			}
			if (mask & 1)
				to[0] = v.x;
			if (mask & 2)
				to[1] = v.y;
			if (mask & 4)
				to[2] = v.z;
			if (mask & 8)
				to[3] = v.w;
		}
	}
}

template <int ROW, int COLUMN, bool FUSED, int BACKWARD, bool EDGE>
__device__ __forceinline__ void chunk_region(const struct staged &b, float omega)
{
	float *region = (float *)dynamic_shared;

	chunk_fetch<FUSED, BACKWARD, EDGE>(b, region);
	chunk_tiles<ROW, COLUMN, FUSED, BACKWARD, EDGE>(b, region, omega);
	__syncthreads();
	chunk_put_back<ROW, COLUMN, FUSED, BACKWARD, EDGE>(b, region);
}

template <int ROW, int COLUMN, bool FUSED>
__device__ __forceinline__ void chunk_block(const struct mlssor_sweep &sweep)
{
	struct staged b;

	if (!staged_begin<ROW, COLUMN, SIDE16, FUSED>(sweep, &b))
		return;
	const bool inner = staged_inner(b) && chunks_aligned<1>(b);
	if (inner && sweep.backward)
		chunk_region<ROW, COLUMN, FUSED, 1, false>(b, sweep.omega);
	else if (inner)
		chunk_region<ROW, COLUMN, FUSED, 0, false>(b, sweep.omega);
	else if (sweep.backward)
		chunk_region<ROW, COLUMN, FUSED, 1, true>(b, sweep.omega);
	else
		chunk_region<ROW, COLUMN, FUSED, 0, true>(b, sweep.omega);
}

#endif
