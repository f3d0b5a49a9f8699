/* SPDX-License-Identifier: MIT
 * The body of the persistent red-black SOR kernels: all iterations in one launch.
 *
 * A block holds a tile, its warps below each other, a warp some rows of 128 columns in registers, 4
 * columns a lane. After each sweep warps give the points that they updated of their first and last
 * row to the warps above and below, through shared memory; those rows are updated first, so that
 * the others' arithmetic hides the way. Tiles overlap by 2 PERSISTENT_DEPTH points: only every
 * PERSISTENT_DEPTH iterations do blocks write the border of what is theirs to global memory, raise
 * a flag, wait for the flags of the eight blocks around them, and read. They write to two grids by
 * turns: who raises a flag for the next exchange has read what the last one left.
 *
 * A part of the grid's edge is kept by predicates on columns, and by putting one row of a warp back
 * after each sweep.
 */
#ifndef WARPREEL_RBSOR_PERSISTENT_CUH
#define WARPREEL_RBSOR_PERSISTENT_CUH

#include "rbsor_geometry.h"
#include "rbsor_temporal.cuh"

enum { LANES = PERSISTENT_COLUMNS / 32 };

/* What a lane has of one colour in a row. */
template <typename T> struct alignas(LANES / 2 * sizeof(T)) rbsor_half {
	T value[LANES / 2];
};

template <typename T> struct rbsor_edges { /* of all warps; by turns for red and black */
	rbsor_half<T> row[2][PERSISTENT_WARPS][2][32]; /* first and last row */
};

/* 8 bytes of a border, and of which exchange; written and read as one. */
struct alignas(16) rbsor_letter {
	uint64_t values, number;
};

template <typename T, int ROWS, int DEPTH, bool LETTERS> struct rbsor_seat {
	static constexpr int PIECE = rbsor_piece<T>::LANES, OVERLAP = 2 * DEPTH,
			     OWN_ROWS = PERSISTENT_WARPS * ROWS - 2 * OVERLAP,
			     OWN_COLUMNS = PERSISTENT_COLUMNS - 2 * OVERLAP;
	const struct rbsor_loop *loop;
	rbsor_edges<T> *edges;
	T omega;
	int across, down; /* blocks */
	int lane, warp;
	uint32_t before; /* exchanges of launches before */
	int row, column; /* of the first of the lane's points */
	int fixed;	 /* row of the warp that is the grid's first or last; -1: none */
	bool inside[LANES];
	T u[ROWS][LANES];
	T kept[LANES];		    /* of row `fixed` */
	rbsor_half<T> above, below; /* of the other colour in the rows next to the warp's */

	__device__ __forceinline__ T *at(int which, int r, int k) const
	{
		const int last = (loop->columns - 1) / PIECE * PIECE;
		const int i = row + r, j = column + k;
		const int64_t i_held = i < 0 ? 0 : i < loop->rows ? i : loop->rows - 1;

		return (T *)loop->grid[which] + i_held * loop->pitch +
		       (j < 0	   ? 0
			: j < last ? j
				   : last);
	}

	/* The compiler shall work out addresses anew at each exchange, not keep them in registers.
	 */
	__device__ __forceinline__ void forget(void)
	{
		asm volatile("" : "+r"(row), "+r"(column), "+r"(warp), "+r"(lane));
	}

	/* Row r's piece at k is of the grid and of this block's own tile; of its border. */
	__device__ __forceinline__ bool owns(int r, int k) const
	{
		const int i = warp * ROWS + r - OVERLAP, j = lane * LANES + k - OVERLAP;

		return i >= 0 && i < OWN_ROWS && j >= 0 && j < OWN_COLUMNS &&
		       row + r < loop->rows && column + k < loop->columns;
	}

	__device__ __forceinline__ bool at_border(int r, int k) const
	{
		const int i = warp * ROWS + r - OVERLAP, j = lane * LANES + k - OVERLAP;

		return i < OVERLAP || i >= OWN_ROWS - OVERLAP || j < OVERLAP ||
		       j >= OWN_COLUMNS - OVERLAP;
	}

	__device__ __forceinline__ void read(int which, bool all)
	{
		forget();
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				const int i = warp * ROWS + r - OVERLAP,
					  j = lane * LANES + k - OVERLAP;

				if (!all && i >= 0 && i < OWN_ROWS && j >= 0 && j < OWN_COLUMNS)
					continue;
				const rbsor_piece<T> piece = rbsor_load_far<T>(at(which, r, k));
#pragma unroll
				for (int m = 0; m < PIECE; m++)
					u[r][k + m] = piece.lane[m];
			}
	}

	__device__ __forceinline__ void write(int which, bool all)
	{
		forget();
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				rbsor_piece<T> piece;

#pragma unroll
				for (int m = 0; m < PIECE; m++)
					piece.lane[m] = u[r][k + m];
				if (owns(r, k) && (all || at_border(r, k)))
					*(rbsor_piece<T> *)at(which, r, k) = piece;
			}
	}

	/* The points m = odd, odd + 2, ... of row r. */
	__device__ __forceinline__ void update(int r, int odd)
	{
		const T beside = __shfl_sync(0xffffffffu, u[r][odd ? 0 : LANES - 1],
					     odd ? lane + 1 : lane - 1);

#pragma unroll
		for (int m = odd; m < LANES; m += 2) {
			const T west = m > 0 ? u[r][m > 0 ? m - 1 : 0] : beside;
			const T east = m < LANES - 1 ? u[r][m < LANES - 1 ? m + 1 : m] : beside;
			const T north = r > 0 ? u[r > 0 ? r - 1 : 0][m] : above.value[m / 2];
			const T south =
				r < ROWS - 1 ? u[r < ROWS - 1 ? r + 1 : r][m] : below.value[m / 2];
			const T horizontal = west + east;
			const T vertical = north + south;
			const T updated =
				u[r][m] + omega * (T(0.25) * (horizontal + vertical) - u[r][m]);

			if (inside[m])
				u[r][m] = updated;
		}
	}

	__device__ __forceinline__ void put_back(int r)
	{
		if (fixed != r)
			return;
		asm volatile(""); /* a branch that few warps take, not selects in all of them */
#pragma unroll
		for (int m = 0; m < LANES; m++)
			u[r][m] = kept[m];
	}

	/* Colour `colour` of row r, which is the warp's first (side 0) or last (1). */
	__device__ __forceinline__ void give(int r, int side, int colour)
	{
		rbsor_half<T> half;

#pragma unroll
		for (int m = 0; m < LANES / 2; m++)
			half.value[m] = u[r][2 * m + ((r + colour) & 1)];
		edges->row[colour][warp][side][lane] = half;
	}

	__device__ __forceinline__ void take(int colour)
	{
		if (warp > 0)
			above = edges->row[colour][warp - 1][1][lane];
		if (warp < PERSISTENT_WARPS - 1)
			below = edges->row[colour][warp + 1][0][lane];
	}

	template <int COLOUR> __device__ __forceinline__ void sweep(void)
	{
		update(0, COLOUR);
		update(ROWS - 1, (ROWS - 1 + COLOUR) & 1);
		put_back(0);
		put_back(ROWS - 1);
		give(0, 0, COLOUR);
		give(ROWS - 1, 1, COLOUR);
#pragma unroll
		for (int r = 1; r < ROWS - 1; r++)
			update(r, (r + COLOUR) & 1);
		if (fixed > 0 && fixed < ROWS - 1)
#pragma unroll
			for (int r = 1; r < ROWS - 1; r++)
				put_back(r);
		__syncthreads();
		take(COLOUR);
	}

	/* Black points go around before red ones ask for them. */
	__device__ __forceinline__ void begin(void)
	{
		give(0, 0, 1);
		give(ROWS - 1, 1, 1);
		__syncthreads();
		take(1);
	}

	/* Where the letter with the lane's column k of row r lies, by turns in two halves. */
	__device__ __forceinline__ rbsor_letter *letter(int number, int r, int k) const
	{
		constexpr int VALUES = 8 / (int)sizeof(T);
		const T *point = at(0, r, k / PIECE * PIECE) + k % PIECE;

		return (rbsor_letter *)loop->letters +
		       ((number & 1) * loop->rows * loop->pitch +
			(point - (const T *)loop->grid[0])) /
			       VALUES;
	}

	/* Border `number` from 1, in letters: nobody waits but for what it reads. */
	__device__ __forceinline__ void exchange_letters(int number)
	{
		constexpr int VALUES = 8 / (int)sizeof(T);
		const uint64_t wanted = before + (uint32_t)number;
		bool missing;

		forget();
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += VALUES) {
				rbsor_letter out = { 0, wanted };

				memcpy(&out.values, &u[r][k], sizeof(out.values));
				if (owns(r, k / PIECE * PIECE) && at_border(r, k / PIECE * PIECE))
					__nv_atomic_store(letter(number, r, k), &out,
							  __NV_ATOMIC_RELAXED,
							  __NV_THREAD_SCOPE_DEVICE);
			}
		do {
			missing = false;
#pragma unroll
			for (int r = 0; r < ROWS; r++)
#pragma unroll
				for (int k = 0; k < LANES; k += VALUES) {
					const int i = warp * ROWS + r - OVERLAP,
						  j = lane * LANES + k - OVERLAP;
					rbsor_letter in;

					if ((i >= 0 && i < OWN_ROWS && j >= 0 && j < OWN_COLUMNS) ||
					    row + r < 0 || row + r >= loop->rows || column + k < 0 ||
					    column + k >= loop->columns)
						continue;
					__nv_atomic_load(letter(number, r, k), &in,
							 __NV_ATOMIC_RELAXED,
							 __NV_THREAD_SCOPE_DEVICE);
					missing |= in.number != wanted;
					memcpy(&u[r][k], &in.values, sizeof(in.values));
				}
		} while (missing);
	}

	/* Border `number` from 1: out, flags, in. */
	__device__ __forceinline__ void exchange(int number)
	{
		uint32_t *flags = (uint32_t *)loop->flags;
		const int index = (int)threadIdx.x;
		const int x = (int)blockIdx.x % across + index % 3 - 1,
			  y = (int)blockIdx.x / across + index / 3 - 1;
		uint32_t value = before + (uint32_t)number;

		write(number & 1, false);
		__syncthreads();
		if (index == 0) {
			__threadfence();
			__nv_atomic_store(flags + blockIdx.x, &value, __NV_ATOMIC_RELAXED,
					  __NV_THREAD_SCOPE_DEVICE);
		}
		if (index < 9 && x >= 0 && x < across && y >= 0 && y < down) {
			uint32_t seen;

			do {
				__nv_atomic_load(flags + y * across + x, &seen, __NV_ATOMIC_RELAXED,
						 __NV_THREAD_SCOPE_DEVICE);
			} while ((int32_t)(seen - value) < 0);
			__threadfence();
		}
		__syncthreads();
		read(number & 1, false);
	}

	__device__ __forceinline__ void run(void)
	{
		const int exchanges = (loop->iterations - 1) / DEPTH;
		int left = loop->iterations;

		across = (loop->columns + OWN_COLUMNS - 1) / OWN_COLUMNS;
		down = (int)gridDim.x / across;
		lane = (int)threadIdx.x & 31;
		warp = (int)threadIdx.x / 32;
		omega = (T)loop->omega;
		before = ((const uint32_t *)loop->flags)[blockIdx.x];
		row = (int)blockIdx.x / across * OWN_ROWS - OVERLAP + warp * ROWS;
		column = (int)blockIdx.x % across * OWN_COLUMNS - OVERLAP + lane * LANES;
		fixed = row <= 0 && row + ROWS > 0		       ? -row
			: row < loop->rows && row + ROWS >= loop->rows ? loop->rows - 1 - row
								       : -1;
#pragma unroll
		for (int m = 0; m < LANES; m++)
			inside[m] = column + m > 0 && column + m < loop->columns - 1;
		above = below = rbsor_half<T>();
		read(0, true);
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int m = 0; m < LANES; m++)
				if (r == 0 || fixed == r)
					kept[m] = u[r][m];
		for (int number = 1;; number++) {
			const int now = left < DEPTH ? left : DEPTH;

			begin();
			for (int k = 0; k < now; k++) {
				sweep<0>();
				sweep<1>();
			}
			left -= now;
			if (number > exchanges)
				break;
			if (LETTERS)
				exchange_letters(number);
			else
				exchange(number);
		}
		if (LETTERS && threadIdx.x == 0)
			((uint32_t *)loop->flags)[blockIdx.x] = before + (uint32_t)exchanges;
		write((exchanges + 1) & 1, true);
	}
};

template <typename T, int ROWS, int DEPTH, bool LETTERS>
__device__ __forceinline__ void rbsor_persistent(const struct rbsor_loop &loop)
{
	__shared__ rbsor_edges<T> edges;
	rbsor_seat<T, ROWS, DEPTH, LETTERS> seat;

	seat.loop = &loop;
	seat.edges = &edges;
	seat.run();
}

#endif
