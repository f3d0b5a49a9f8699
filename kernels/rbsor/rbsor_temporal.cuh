/* SPDX-License-Identifier: MIT
 * The body of the fused and the temporally blocked red-black SOR kernels: DEPTH iterations, that is
 * 2 DEPTH sweeps, while each point is read once and written once.
 *
 * A warp is a tile: 32 lanes of LANES columns, streaming down a chunk of rows that pass through its
 * registers, with neither shared memory nor barriers. With every step ROWS rows come in at the
 * bottom of its window. Sweep s = 1, 2, ... then updates the ROWS rows that lie s rows higher than
 * the new ones: below them is what sweep s - 1 has just made, above them what sweep s + 1 has not
 * reached yet. ROWS rows leave at the top, all sweeps done. The updates of one sweep in one step do
 * not depend on each other; with ROWS x LANES / 2 of them a lane, few warps hide the latency of
 * arithmetic.
 *
 * Tiles overlap by 2 DEPTH columns a side and chunks by 2 DEPTH rows: sweep s leaves wrong values
 * in the outermost s of them, which nobody stores. Where the grid ends, a copy of the step keeps
 * its edge by selects; elsewhere there are none.
 *
 * Chunks begin where the colour of the first point is known and ROWS is even, so that which points
 * of a row have the sweep's colour is known when compiling.
 */
#ifndef WARPREEL_RBSOR_TEMPORAL_CUH
#define WARPREEL_RBSOR_TEMPORAL_CUH

#include <string.h>

#include "rbsor.h"
#include "rbsor_update.cuh"

template <typename T> struct alignas(16) rbsor_piece { /* what one access moves */
	static constexpr int LANES = 16 / (int)sizeof(T);
	T lane[LANES];
};

/* What another multiprocessor may have written since this one last read: past the L1 cache. */
template <typename T> __device__ __forceinline__ rbsor_piece<T> rbsor_load_far(const T *from)
{
	const float4 word = __ldcg((const float4 *)from);
	rbsor_piece<T> piece;

	static_assert(sizeof(word) == sizeof(piece), "16 bytes");
	memcpy(&piece, &word, sizeof(piece));
	return piece;
}

/* In one access, also where the compiler would take it apart. */
template <typename T>
__device__ __forceinline__ void rbsor_store(T *to, const rbsor_piece<T> &piece)
{
	float4 word;

	memcpy(&word, &piece, sizeof(word));
	*(float4 *)to = word;
}

/* What nobody reads before it is out of the L2 cache. */
template <typename T>
__device__ __forceinline__ void rbsor_store_apart(T *to, const rbsor_piece<T> &piece)
{
	float4 word;

	memcpy(&word, &piece, sizeof(word));
	__stcs((float4 *)to, word);
}

/* Columns of a tile that are stored: without the overlap, in whole pieces. */
template <typename T, int LANES, int DEPTH>
__host__ __device__ constexpr int rbsor_tile_overlap(void)
{
	return (2 * DEPTH + rbsor_piece<T>::LANES - 1) / rbsor_piece<T>::LANES *
	       rbsor_piece<T>::LANES;
}

template <typename T, int LANES, int DEPTH>
__host__ __device__ constexpr int rbsor_tile_columns(void)
{
	return 32 * LANES - 2 * rbsor_tile_overlap<T, LANES, DEPTH>();
}

/* Which points of a step may be the grid's edge: none; those of the first or the last column; any,
 * or rows of it may be another chunk's. */
enum rbsor_where { RBSOR_MIDDLE, RBSOR_SIDE, RBSOR_END };

/* SPARING: a chunk's first rows go through the sweeps alone that its own rows need of them: sweep s
 * needs nothing above row `first` + s. */
template <typename T, int LANES, int DEPTH, int ROWS, bool SPARING = false> struct rbsor_tile {
	static constexpr int SWEEPS = 2 * DEPTH, WINDOW = SWEEPS + 1 + ROWS,
			     PIECE = rbsor_piece<T>::LANES,
			     OVERLAP = rbsor_tile_overlap<T, LANES, DEPTH>(),
			     COLUMNS = rbsor_tile_columns<T, LANES, DEPTH>();
	const struct rbsor_pass *pass;
	T omega;
	int column;		      /* of the lane's first point; below 0 left of the grid */
	int row_begin, row_end;	      /* the chunk */
	int first;		      /* the first row that is loaded for it */
	int column_begin, column_end; /* what the warp stores */
	int64_t reach[LANES / PIECE]; /* where the lane's pieces begin in a row, held inside it */
	bool inside[LANES];	      /* which of the lane's columns are updated */
	T window[WINDOW][LANES];

	template <int COUNT>
	__device__ __forceinline__ void load(T (*into)[LANES], int row, enum rbsor_where where)
	{
#pragma unroll
		for (int r = 0; r < COUNT; r++) {
			int at = row + r;

			if (where == RBSOR_END)
				at = at < 0 ? 0 : at < pass->strip_rows ? at : pass->strip_rows - 1;
#pragma unroll
			for (int k = 0; k < LANES / PIECE; k++) {
				const rbsor_piece<T> piece =
					*(const rbsor_piece<T> *)((const T *)pass->from +
								  at * pass->pitch + reach[k]);

#pragma unroll
				for (int m = 0; m < PIECE; m++)
					into[r][k * PIECE + m] = piece.lane[m];
			}
		}
	}

	/* Rows x to x + COUNT of the window, which begin with `row` of the grid. APART: so that
	 * they leave the L2 cache to what will be read. */
	template <int COUNT, bool APART = false>
	__device__ __forceinline__ void store(int x, int row, enum rbsor_where where)
	{
#pragma unroll
		for (int r = 0; r < COUNT; r++) {
			if (where == RBSOR_END && (row + r < row_begin || row + r >= row_end))
				continue;
#pragma unroll
			for (int k = 0; k < LANES / PIECE; k++) {
				const int at = column + k * PIECE;
				rbsor_piece<T> piece;

#pragma unroll
				for (int m = 0; m < PIECE; m++)
					piece.lane[m] = window[x + r][k * PIECE + m];
				T *to = (T *)pass->to + (row + r) * pass->pitch + at;

				if (at < column_begin || at >= column_end)
					continue;
				if (APART)
					rbsor_store_apart(to, piece);
				else
					*(rbsor_piece<T> *)to = piece;
			}
		}
	}

	/* Row x of the window, which is `row` of the grid: its points m = odd, odd + 2, ... */
	__device__ __forceinline__ void update(int x, int odd, int row, enum rbsor_where where)
	{
		const int lane = (int)(threadIdx.x & 31);
		const T beside = __shfl_sync(0xffffffffu, window[x][odd ? 0 : LANES - 1],
					     odd ? lane + 1 : lane - 1);

		if (where == RBSOR_END && (row <= 0 || row >= pass->strip_rows - 1))
			return;
#pragma unroll
		for (int m = odd; m < LANES; m += 2) {
			const T west = m > 0 ? window[x][m > 0 ? m - 1 : 0] : beside;
			const T east =
				m < LANES - 1 ? window[x][m < LANES - 1 ? m + 1 : m] : beside;
			const T u = window[x][m];
			const T horizontal = west + east;
			const T vertical = window[x - 1][m] + window[x + 1][m];
			const T updated = rbsor_updated(u, omega, horizontal, vertical);

			if (where == RBSOR_MIDDLE || inside[m])
				window[x][m] = updated;
		}
	}

	/* The newest ROWS rows of the window are `row` and those below it. */
	__device__ __forceinline__ void sweeps(int row, enum rbsor_where where)
	{
#pragma unroll
		for (int s = 1; s <= SWEEPS; s++) {
			if (SPARING && where == RBSOR_END && row - first + ROWS - 1 < 2 * s)
				break;
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				update(SWEEPS + 1 - s + r, (r + 1) & 1, row - s + r, where);
		}
	}

	__device__ __forceinline__ void step(int row, enum rbsor_where where)
	{
		T next[ROWS][LANES];

		load<ROWS>(next, row + ROWS, where);
		sweeps(row, where);
		store<ROWS>(1, row - SWEEPS, where);
#pragma unroll
		for (int x = 0; x < WINDOW - ROWS; x++)
#pragma unroll
			for (int m = 0; m < LANES; m++)
				window[x][m] = window[x + ROWS][m];
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int m = 0; m < LANES; m++)
				window[WINDOW - ROWS + r][m] = next[r][m];
	}

	/* The tile that begins to be stored at `begin`, and rows [top, bottom) to be stored. */
	__device__ __forceinline__ void place(int begin, int top, int bottom)
	{
		const int last = (pass->columns - 1) / PIECE * PIECE;

		omega = (T)pass->omega;
		row_begin = top;
		row_end = bottom;
		column = begin - OVERLAP + (int)(threadIdx.x & 31) * LANES;
		column_begin = begin;
		column_end = begin + COLUMNS < pass->columns ? begin + COLUMNS : pass->columns;
#pragma unroll
		for (int k = 0; k < LANES / PIECE; k++) {
			const int at = column + k * PIECE;

			reach[k] = at < 0 ? 0 : at < last ? at : last;
		}
#pragma unroll
		for (int m = 0; m < LANES; m++)
			inside[m] = column + m > 0 && column + m < pass->columns - 1;
	}

	/* Streams: tiles from `tile` on, one a warp; rows [top, bottom) are stored. All warps of a
	 * block come here with the same numbers, so that the compiler sees none of them diverge. */
	__device__ __forceinline__ void run(int tile, int top, int bottom)
	{
		const bool at_side =
			tile == 0 ||
			(tile + (int)blockDim.x / 32) * COLUMNS + OVERLAP >= pass->columns;
		int row = top - SWEEPS;

		row -= (pass->first + row) & 1;
		first = row;
		place((tile + (int)threadIdx.x / 32) * COLUMNS, top, bottom);
#pragma unroll
		for (int x = 0; x < WINDOW - ROWS; x++)
#pragma unroll
			for (int m = 0; m < LANES; m++)
				window[x][m] = T(0);
		load<ROWS>(&window[WINDOW - ROWS], row, RBSOR_END);
		for (; row - SWEEPS < bottom; row += ROWS) {
			if (row - SWEEPS < top || row - SWEEPS + ROWS > bottom ||
			    row + 2 * ROWS > pass->strip_rows)
				step(row, RBSOR_END);
			else if (at_side)
				step(row, RBSOR_SIDE);
			else
				step(row, RBSOR_MIDDLE);
		}
	}

	/* One step alone, for a single iteration: the window is loaded whole, and what is at work
	 * lies in one narrow band of memory, as a copy's does. `row`, where colours
	 * begin as in run(), is the first to be stored. */
	template <bool APART> __device__ __forceinline__ void once(int row, enum rbsor_where where)
	{
		load<WINDOW>(window, row - 2, where);
#pragma unroll
		for (int x = 1; x < WINDOW - 1; x++)
			update(x, x & 1, row - 2 + x, where);
#pragma unroll
		for (int x = 2; x < WINDOW - 2; x++)
			update(x, (x + 1) & 1, row - 2 + x, where);
		store<WINDOW - 4, APART>(2, row, where);
	}

	/* Tile `tile`, WINDOW - 4 rows a warp below each other, from `top` of the whole block on.
	 */
	template <bool APART> __device__ __forceinline__ void run_once(int tile, int top)
	{
		constexpr int EACH = WINDOW - 4;
		const int warps = (int)blockDim.x / 32, row = top + (int)threadIdx.x / 32 * EACH;

		place(tile * COLUMNS, pass->row_begin, pass->row_end);
		if (top < pass->row_begin || top < 2 || top + warps * EACH > pass->row_end ||
		    top + warps * EACH + 2 > pass->strip_rows)
			once<APART>(row, RBSOR_END);
		else if (tile == 0 || (tile + 1) * COLUMNS + OVERLAP >= pass->columns)
			once<APART>(row, RBSOR_SIDE);
		else
			once<APART>(row, RBSOR_MIDDLE);
	}
};

#endif
