/* SPDX-License-Identifier: MIT
 * A half-sweep of lmsor_persistent over one band of rows, which a block holds in registers from the
 * first iteration to the last.
 *
 * A thread has one index of the half-rows in all rows of the band, so both columns of it and both
 * colours: three of a point's four neighbours are its own, the fourth is its neighbouring lane's.
 * Between bands nothing meets at a barrier: a point of a band's outer row waits for the one value
 * beyond it. That is a flag of 16 bytes, the value and the number of the half-sweep it is for,
 * which is written and read at once, so that whoever finds the number has the value and no fence is
 * needed.
 *
 * A mailbox has room for one value. It is free again when its owner writes next, two half-sweeps
 * on: that value was computed from the answer of the thread that reads the mailbox, and it had read
 * before it answered.
 *
 * On an H200 a flag takes 600 to 850 cycles, most of what a half-sweep takes up to size 600.
 * Hence both flags are asked for before anything else is done, each is answered before the other
 * is waited for, and what need not be in time is done while they are on their way.
 */
#ifndef WARPREEL_LMSOR_BAND_CUH
#define WARPREEL_LMSOR_BAND_CUH

#include "lmsor_norm.cuh"

enum { LMSOR_LOOP_WARPS = LMSOR_LOOP_THREADS / 32 };

typedef unsigned long long lmsor_word;

/* The number has 64 bits since of 32 nvcc makes a copy, and so waits for the flag where it is
 * asked for. */
struct alignas(16) lmsor_flag {
	double value;
	lmsor_word number;
};

/* What the threads of a block share. */
struct lmsor_block {
	struct lmsor_pair vertical[LMSOR_BAND_ROWS];
	double edge[2][LMSOR_BAND_ROWS]
		   [LMSOR_LOOP_WARPS + 2]; /* by colour: of each warp's outer lane, the one that
					      another warp asks for */
	int above, lost; /* at a check: a value is above the tolerance, is no finite number */
	int ended;	 /* thread 0's to all others */
};

/* What a thread knows beside its values. Pairs go by (row of the band + colour) & 1: with the
 * band's first row that is a column. */
struct lmsor_thread {
	const struct lmsor_loop *loop;
	struct lmsor_block *block;
	double *kept;		  /* of the block: LMSOR_LAG times 2 ROWS values a thread */
	struct lmsor_flag *boxes; /* mailboxes of this thread's index in its band */
	int index, band, first; /* in the half-rows; of the bands; local row of the band's first */
	int lane, warp;
	int step[2];	/* lane, counted from here, of the horizontal neighbour that is not this
			   thread's own */
	bool inside[2]; /* the point is to be updated */
	double near[2],
		far[2]; /* what multiplies the horizontal neighbour of its own, and the other */
};

template <int ROWS> struct lmsor_held {
	double u[2][ROWS], omega[2][ROWS]; /* by colour */
};

/* The place of this thread's flags; `bands` further on, of side 0 (the first row's, for the band
 * above) or 1, of one colour. */
__device__ __forceinline__ struct lmsor_flag *lmsor_box(const struct lmsor_thread &thread,
							int bands, int side, int colour)
{
	return thread.boxes + (bands * 4 + side * 2 + colour) * LMSOR_LOOP_THREADS;
}

__device__ __forceinline__ void lmsor_post(struct lmsor_flag *box, double value, unsigned number)
{
	struct lmsor_flag flag = { value, number };

	__nv_atomic_store(box, &flag, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ struct lmsor_flag lmsor_request(struct lmsor_flag *box)
{
	struct lmsor_flag flag;

	__nv_atomic_load(box, &flag, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	return flag;
}

__device__ __forceinline__ double lmsor_await(struct lmsor_flag *box, struct lmsor_flag flag,
					      unsigned number)
{
	while (flag.number != number)
		flag = lmsor_request(box);
	return flag.value;
}

__device__ __forceinline__ double *lmsor_at(const struct lmsor_thread &thread, int row, int colour)
{
	const int64_t pitch = thread.loop->pitch;

	return thread.loop->grid + (thread.first + row) * pitch + colour * (pitch / 2) +
	       thread.index;
}

/* Leaves what another warp asks for: of `colour`, one value a row. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_leave(const struct lmsor_thread &thread,
					    const struct lmsor_held<ROWS> &held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (thread.lane == (thread.step[(r + COLOUR) & 1] > 0 ? 31 : 0))
			thread.block->edge[COLOUR][r][thread.warp + 1] = held.u[COLOUR][r];
}

/* The order of the two horizontal products is the columns' or the other way round: their sum is the
 * same. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_point(const struct lmsor_thread &thread,
					    struct lmsor_held<ROWS> *held, int r, double beside,
					    double north, double south)
{
	const int x = (r + COLOUR) & 1;
	const struct lmsor_pair &vertical = thread.block->vertical[r];
	const double u = lmsor_update(held->u[COLOUR][r], held->omega[COLOUR][r], thread.near[x],
				      thread.far[x], vertical.after, vertical.before,
				      held->u[1 - COLOUR][r], beside, south, north);

	if (thread.inside[x])
		held->u[COLOUR][r] = u;
}

/* What lies beyond the band, in the column of this thread: flags on their way. */
struct lmsor_requests {
	struct lmsor_flag north, south;
};

__device__ __forceinline__ bool lmsor_has_neighbour(const struct lmsor_thread &thread, int side)
{
	return side == 0 ? thread.band > 0 : thread.band < thread.loop->bands - 1;
}

/* Asks for what half-sweep `number`, from 0, needs of other bands. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ struct lmsor_requests
lmsor_request_beyond(const struct lmsor_thread &thread, unsigned number)
{
	struct lmsor_requests requested = { { 0, number }, { 0, number } };

	if (lmsor_has_neighbour(thread, 0) && thread.inside[COLOUR])
		requested.north = lmsor_request(lmsor_box(thread, -1, 1, 1 - COLOUR));
	if (lmsor_has_neighbour(thread, 1) && thread.inside[(ROWS - 1 + COLOUR) & 1])
		requested.south = lmsor_request(lmsor_box(thread, 1, 0, 1 - COLOUR));
	__syncwarp(); /* not later, which is where the compiler would put it */
	return requested;
}

template <int COLOUR, int ROWS>
__device__ __forceinline__ double lmsor_beyond(const struct lmsor_thread &thread, int side,
					       struct lmsor_flag flag, unsigned number)
{
	if (lmsor_has_neighbour(thread, side))
		return lmsor_await(lmsor_box(thread, side == 0 ? -1 : 1, 1 - side, 1 - COLOUR),
				   flag, number);
	return *lmsor_at(thread, side == 0 ? -1 : ROWS,
			 1 - COLOUR); /* the border, which stays as it is */
}

/* Tells the band on one side the values of a colour in the outer row, which half-sweep `number`
 * needs. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_tell(const struct lmsor_thread &thread,
					   const struct lmsor_held<ROWS> &held, int side,
					   unsigned number)
{
	const int row = side == 0 ? 0 : ROWS - 1;

	if (lmsor_has_neighbour(thread, side) && thread.inside[(row + COLOUR) & 1])
		lmsor_post(lmsor_box(thread, 0, side, COLOUR), held.u[COLOUR][row], number);
}

/* Half-sweep `number`, with what was asked for: first the rows that need no other band. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_half(const struct lmsor_thread &thread,
					   struct lmsor_held<ROWS> *held, unsigned number,
					   struct lmsor_requests requested)
{
	constexpr int LAST = ROWS - 1, OTHER = 1 - COLOUR;
	double beside[ROWS], north, south;

#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int step = thread.step[(r + COLOUR) & 1];

		beside[r] = __shfl_sync(0xffffffffu, held->u[OTHER][r], thread.lane + step);
		if (thread.lane == (step > 0 ? 31 : 0))
			beside[r] = thread.block->edge[OTHER][r][thread.warp + 1 + step];
	}
#pragma unroll
	for (int r = 1; r < LAST; r++)
		lmsor_point<COLOUR, ROWS>(thread, held, r, beside[r], held->u[OTHER][r - 1],
					  held->u[OTHER][r + 1]);
	north = lmsor_beyond<COLOUR, ROWS>(thread, 0, requested.north, number);
	if (LAST == 0)
		south = lmsor_beyond<COLOUR, ROWS>(thread, 1, requested.south, number);
	else
		south = held->u[OTHER][LAST > 0];
	lmsor_point<COLOUR, ROWS>(thread, held, 0, beside[0], north, south);
	lmsor_tell<COLOUR, ROWS>(thread, *held, 0, number + 1);
	if (LAST > 0) {
		south = lmsor_beyond<COLOUR, ROWS>(thread, 1, requested.south, number);
		lmsor_point<COLOUR, ROWS>(thread, held, LAST, beside[LAST],
					  held->u[OTHER][LAST - (LAST > 0)], south);
	}
	lmsor_tell<COLOUR, ROWS>(thread, *held, 1, number + 1);
	lmsor_leave<COLOUR, ROWS>(thread, *held);
}

#endif
