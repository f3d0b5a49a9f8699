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
#include "rbsor_update.cuh"

enum { LANES = PERSISTENT_COLUMNS / 32 };

/* What a lane has of one colour in a row. */
template <typename T> struct alignas(LANES / 2 * sizeof(T)) rbsor_half {
	T value[LANES / 2];
};

/*
 * How blocks tell each other of their borders. FLAGS: a flag a block, one beside the other
 * (persistent). LINES: each in a line of its own, a variant of tests/gpu_looprate.cu. WARPS: a flag
 * a warp, each in a line (resident).
 */
enum rbsor_exchange { EXCHANGE_FLAGS, EXCHANGE_LINES, EXCHANGE_WARPS };

template <typename T, int WARPS> struct rbsor_edges { /* of all warps; by turns for red and black */
	rbsor_half<T> row[2][WARPS][2][32];	      /* first and last row */
};

template <typename T, int ROWS, int DEPTH, rbsor_exchange EXCHANGE, int WARPS> struct rbsor_thread {
	static_assert(2 * DEPTH % LANES == 0 && ROWS <= 32, "a lane is a block's own or is not");
	static constexpr int PIECE = rbsor_piece<T>::LANES, OVERLAP = 2 * DEPTH,
			     OWN_ROWS = WARPS * ROWS - 2 * OVERLAP,
			     OWN_COLUMNS = PERSISTENT_COLUMNS - 2 * OVERLAP;
	static constexpr bool BY_WARP = EXCHANGE == EXCHANGE_WARPS;
	static constexpr int FLAG_WORDS = EXCHANGE == EXCHANGE_LINES || BY_WARP ? 128 / 4 : 1,
			     FLAGS_A_BLOCK = BY_WARP ? WARPS * FLAG_WORDS : FLAG_WORDS;
	const struct rbsor_loop *loop;
	rbsor_edges<T, WARPS> *edges;
	T omega;
	int across, down; /* blocks */
	int lane, warp;
	uint32_t before;  /* exchanges of launches before */
	uint32_t out, in; /* aim() */
	int neighbour;	  /* whose flag the lane polls; -1: none */
	int row, column;  /* of the first of the lane's points */
	int fixed;	  /* row of the warp that is the grid's first or last; -1: none */
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

	/* The compiler shall work out addresses anew, not keep them in registers. */
	__device__ __forceinline__ void forget(void)
	{
		asm volatile("" : "+r"(row), "+r"(column), "+r"(warp), "+r"(lane));
	}

	/* The start values; the lane's own points at the end. */
	__device__ __forceinline__ void read(void)
	{
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				const rbsor_piece<T> piece = rbsor_load_far<T>(at(0, r, k));
#pragma unroll
				for (int m = 0; m < PIECE; m++)
					u[r][k + m] = piece.lane[m];
			}
	}

	__device__ __forceinline__ void write(int which)
	{
		forget();
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				const int i = warp * ROWS + r - OVERLAP,
					  j = lane * LANES + k - OVERLAP;
				rbsor_piece<T> piece;

#pragma unroll
				for (int m = 0; m < PIECE; m++)
					piece.lane[m] = u[r][k + m];
				if (i >= 0 && i < OWN_ROWS && j >= 0 && j < OWN_COLUMNS &&
				    row + r < loop->rows && column + k < loop->columns)
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
			const T updated = rbsor_updated(u[r][m], omega, horizontal, vertical);

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
		if (warp < WARPS - 1)
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

	/* The warps whose rows the warp reads: of the blocks beside its own the same one, of those
	 * above and below one or two, which lanes from 9 on have the second of. */
	__device__ __forceinline__ void aim_at_warps(void)
	{
		const int across_by = lane % 3 - 1, down_by = lane / 3 % 3 - 1,
			  x = (int)blockIdx.x % across + across_by,
			  y = (int)blockIdx.x / across + down_by;
		int begin = warp * ROWS, end = begin + ROWS;

		if (down_by < 0 && end > OVERLAP)
			end = OVERLAP;
		if (down_by > 0 && begin < OVERLAP + OWN_ROWS)
			begin = OVERLAP + OWN_ROWS;
		const int theirs = (lane < 9 ? begin : end - 1) - down_by * OWN_ROWS;
		const bool there = x >= 0 && x < across && y >= 0 && y < down && begin < end &&
				   (across_by != 0 || down_by != 0);

		neighbour = lane < 18 && there ? (y * across + x) * WARPS + theirs / ROWS : -1;
	}

	/* Which rows of the lane are sent to other blocks, and which come from them. */
	__device__ __forceinline__ void aim(void)
	{
		const int j = lane * LANES - OVERLAP;
		const bool own_column = j >= 0 && j < OWN_COLUMNS,
			   border_column = j < OVERLAP || j >= OWN_COLUMNS - OVERLAP,
			   of_grid = column >= 0 && column < loop->columns;
		const int x = (int)blockIdx.x % across + lane % 3 - 1,
			  y = (int)blockIdx.x / across + lane / 3 - 1;

		neighbour = lane < 9 && x >= 0 && x < across && y >= 0 && y < down ? y * across + x
										   : -1;
		if (BY_WARP)
			aim_at_warps();
		out = in = 0;
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			const int i = warp * ROWS + r - OVERLAP;
			const bool own = own_column && i >= 0 && i < OWN_ROWS,
				   border = border_column || i < OVERLAP || i >= OWN_ROWS - OVERLAP;

			if (!of_grid || row + r < 0 || row + r >= loop->rows)
				continue;
			out |= (uint32_t)(own && border) << r;
			in |= (uint32_t)!own << r;
		}
	}

	/* Border `number` from 1: out, flags, in. A warp waits by itself; the others of its block
	 * have read before any of them writes the next border to the same grid, for each sweep has
	 * a barrier. */
	__device__ __forceinline__ void exchange(int number)
	{
		uint32_t *flags = (uint32_t *)loop->flags;
		T *here = (T *)loop->grid[number & 1] + row * loop->pitch + column;
		uint32_t value = before + (uint32_t)number;

#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				rbsor_piece<T> piece;

#pragma unroll
				for (int m = 0; m < PIECE; m++)
					piece.lane[m] = u[r][k + m];
				/* a second piece may lie beyond the last column */
				if ((out >> r & 1) && (k == 0 || column + k < loop->columns))
					rbsor_store(here + r * loop->pitch + k, piece);
			}
		if (BY_WARP)
			__syncwarp();
		else
			__syncthreads();
		if (BY_WARP ? lane == 0 : threadIdx.x == 0)
			__nv_atomic_store(flags + blockIdx.x * FLAGS_A_BLOCK +
						  (BY_WARP ? warp * FLAG_WORDS : 0),
					  &value, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
		if (neighbour >= 0) {
			uint32_t seen;

			do {
				__nv_atomic_load(flags + neighbour * FLAG_WORDS, &seen,
						 __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
			} while ((int32_t)(seen - value) < 0);
		}
		__syncwarp();
#pragma unroll
		for (int r = 0; r < ROWS; r++)
#pragma unroll
			for (int k = 0; k < LANES; k += PIECE) {
				if (!(in >> r & 1))
					continue;
				const rbsor_piece<T> piece =
					rbsor_load_far<T>(here + r * loop->pitch + k);
#pragma unroll
				for (int m = 0; m < PIECE; m++)
					u[r][k + m] = piece.lane[m];
			}
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
		before = ((const uint32_t *)loop->flags)[blockIdx.x * FLAGS_A_BLOCK];
		row = (int)blockIdx.x / across * OWN_ROWS - OVERLAP + warp * ROWS;
		column = (int)blockIdx.x % across * OWN_COLUMNS - OVERLAP + lane * LANES;
		fixed = row <= 0 && row + ROWS > 0		       ? -row
			: row < loop->rows && row + ROWS >= loop->rows ? loop->rows - 1 - row
								       : -1;
#pragma unroll
		for (int m = 0; m < LANES; m++)
			inside[m] = column + m > 0 && column + m < loop->columns - 1;
		above = below = rbsor_half<T>();
		read();
		aim();
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
			exchange(number);
		}
		write((exchanges + 1) & 1);
	}
};

template <typename T, int ROWS, int DEPTH, rbsor_exchange EXCHANGE, int WARPS = PERSISTENT_WARPS>
__device__ __forceinline__ void rbsor_persistent(const struct rbsor_loop &loop)
{
	__shared__ rbsor_edges<T, WARPS> edges;
	rbsor_thread<T, ROWS, DEPTH, EXCHANGE, WARPS> thread;

	thread.loop = &loop;
	thread.edges = &edges;
	thread.run();
}

#endif
