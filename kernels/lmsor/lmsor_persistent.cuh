/* SPDX-License-Identifier: MIT
 * The body of lmsor_persistent: a block holds a band of rows in registers from the first iteration to the last.
 *
 * A thread has one index of the half-rows in all rows of the band, so both columns of it and both colours: three of a point's four
 * neighbours are its own, the fourth is its neighbouring lane's. Between bands nothing meets at a barrier: a point of a band's
 * outer row waits for the one value beyond it. That is a letter of 16 bytes, the value and the number of the half-sweep that made it,
 * which is written and read at once, so that whoever finds the number has the value and no fence is needed.
 *
 * A letter box has room for one value. It is free again when its owner writes next, two half-sweeps on: that value was computed
 * from the answer of the thread that reads the box, and it had read before it answered.
 */
#ifndef WARPREEL_LMSOR_PERSISTENT_CUH
#define WARPREEL_LMSOR_PERSISTENT_CUH

#include "lmsor_norm.cuh"

enum { LMSOR_LOOP_WARPS = LMSOR_LOOP_THREADS / 32 };

typedef unsigned long long lmsor_word;

struct alignas(16) lmsor_letter {
	double value;
	lmsor_word number;
};

/* What the threads of a block share. */
struct lmsor_block {
	struct lmsor_pair vertical[LMSOR_BAND_ROWS];
	double edge[2][LMSOR_BAND_ROWS][LMSOR_LOOP_WARPS + 2]; /* by colour: of each warp's outer lane, the one that another warp asks for */
	lmsor_word counted; /* thread 0's to all others */
	int lost;           /* a value is no finite number */
};

/* What a thread knows beside its values. Pairs go by (row of the band + colour) & 1: with the band's first row that is a column. */
struct lmsor_seat {
	const struct lmsor_loop *loop;
	struct lmsor_block *block;
	struct lmsor_letter *boxes; /* of this thread's index in its band */
	int index, band, first; /* in the half-rows; of the bands; local row of the band's first */
	int lane, warp;
	int step[2];            /* lane, counted from here, of the horizontal neighbour that is not this thread's own */
	bool inside[2];         /* the point is to be updated */
	double near[2], far[2]; /* what multiplies the horizontal neighbour of its own, and the other */
};

template <int ROWS> struct lmsor_held {
	double u[2][ROWS], omega[2][ROWS]; /* by colour */
};

/* The place of this thread's letters; `bands` further on, of side 0 (the first row's, for the band above) or 1, of one colour. */
__device__ __forceinline__ struct lmsor_letter *lmsor_box(const struct lmsor_seat &seat, int bands, int side, int colour)
{
	return seat.boxes + (bands * 4 + side * 2 + colour) * LMSOR_LOOP_THREADS;
}

__device__ __forceinline__ void lmsor_post(struct lmsor_letter *box, double value, unsigned number)
{
	struct lmsor_letter letter = { value, number };

	__nv_atomic_store(box, &letter, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

__device__ __forceinline__ struct lmsor_letter lmsor_ask(struct lmsor_letter *box)
{
	struct lmsor_letter letter;

	__nv_atomic_load(box, &letter, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
	return letter;
}

__device__ __forceinline__ double lmsor_await(struct lmsor_letter *box, struct lmsor_letter letter, unsigned number)
{
	while (letter.number != number)
		letter = lmsor_ask(box);
	return letter.value;
}

__device__ __forceinline__ double *lmsor_at(const struct lmsor_seat &seat, int row, int colour)
{
	const int64_t pitch = seat.loop->pitch;

	return seat.loop->grid + (seat.first + row) * pitch + colour * (pitch / 2) + seat.index;
}

/* Leaves what another warp asks for: of `colour`, one value a row. */
template <int COLOUR, int ROWS> __device__ __forceinline__ void lmsor_leave(const struct lmsor_seat &seat, const struct lmsor_held<ROWS> &held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (seat.lane == (seat.step[(r + COLOUR) & 1] > 0 ? 31 : 0))
			seat.block->edge[COLOUR][r][seat.warp + 1] = held.u[COLOUR][r];
}

/* The order of the two horizontal products is the columns' or the other way round: their sum is the same. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_point(const struct lmsor_seat &seat, struct lmsor_held<ROWS> *held, int r, double beside, double north,
					    double south, uint64_t *most)
{
	const int x = (r + COLOUR) & 1;
	const struct lmsor_pair &vertical = seat.block->vertical[r];
	const double u = lmsor_update(held->u[COLOUR][r], held->omega[COLOUR][r], seat.near[x], seat.far[x], vertical.after, vertical.before,
				      held->u[1 - COLOUR][r], beside, south, north);

	if (seat.inside[x]) {
		held->u[COLOUR][r] = u;
		*most = lmsor_magnitude(u) > *most ? lmsor_magnitude(u) : *most;
	}
}

/* The value next to the band in local row `row`, from the neighbouring band if there is one. */
template <int COLOUR> __device__ __forceinline__ double lmsor_beyond(const struct lmsor_seat &seat, bool neighbour, struct lmsor_letter *box,
								     struct lmsor_letter letter, unsigned number, int row)
{
	/* Before the first half-sweep, and beyond the outermost bands, all lies in the grid, which nobody writes before the end. */
	return neighbour && number > 0 ? lmsor_await(box, letter, number) : *lmsor_at(seat, row, COLOUR);
}

/* Half-sweep `number`, from 0. Rows that need no other band go while the letters are on their way. */
template <int COLOUR, int ROWS>
__device__ __forceinline__ void lmsor_half(const struct lmsor_seat &seat, struct lmsor_held<ROWS> *held, unsigned number, uint64_t *most)
{
	constexpr int LAST = ROWS - 1, OTHER = 1 - COLOUR, X_FIRST = COLOUR & 1, X_LAST = (LAST + COLOUR) & 1;
	const bool above = seat.band > 0, below = seat.band < seat.loop->bands - 1;
	struct lmsor_letter *north_box = lmsor_box(seat, -1, 1, OTHER), *south_box = lmsor_box(seat, 1, 0, OTHER);
	struct lmsor_letter north_letter = { 0, number }, south_letter = { 0, number };
	double beside[ROWS], north, south;

	if (above && number > 0 && seat.inside[X_FIRST])
		north_letter = lmsor_ask(north_box);
	if (below && number > 0 && seat.inside[X_LAST])
		south_letter = lmsor_ask(south_box);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int step = seat.step[(r + COLOUR) & 1];

		beside[r] = __shfl_sync(0xffffffffu, held->u[OTHER][r], seat.lane + step);
		if (seat.lane == (step > 0 ? 31 : 0))
			beside[r] = seat.block->edge[OTHER][r][seat.warp + 1 + step];
	}
#pragma unroll
	for (int r = 1; r < LAST; r++)
		lmsor_point<COLOUR, ROWS>(seat, held, r, beside[r], held->u[OTHER][r - 1], held->u[OTHER][r + 1], most);
	north = lmsor_beyond<OTHER>(seat, above, north_box, north_letter, number, -1);
	if (LAST == 0)
		south = lmsor_beyond<OTHER>(seat, below, south_box, south_letter, number, ROWS);
	else
		south = held->u[OTHER][LAST > 0];
	lmsor_point<COLOUR, ROWS>(seat, held, 0, beside[0], north, south, most);
	if (above && seat.inside[X_FIRST])
		lmsor_post(lmsor_box(seat, 0, 0, COLOUR), held->u[COLOUR][0], number + 1);
	if (LAST > 0) {
		south = lmsor_beyond<OTHER>(seat, below, south_box, south_letter, number, ROWS);
		lmsor_point<COLOUR, ROWS>(seat, held, LAST, beside[LAST], held->u[OTHER][LAST - (LAST > 0)], south, most);
	}
	if (below && seat.inside[X_LAST])
		lmsor_post(lmsor_box(seat, 0, 1, COLOUR), held->u[COLOUR][LAST], number + 1);
	lmsor_leave<COLOUR, ROWS>(seat, *held);
}

/* Thread 0 adds `own` to a word of the board and waits until all bands have; all threads of the block come here, and get the sum. */
__device__ __forceinline__ lmsor_word lmsor_count(const struct lmsor_seat &seat, int place, lmsor_word own)
{
	lmsor_word *word = (lmsor_word *)seat.loop->board + BOARD_COUNTS + place;

	if (threadIdx.x == 0) {
		lmsor_word sum;

		atomicAdd(word, own);
		do
			__nv_atomic_load(word, &sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
		while ((sum & 0xffff) != (lmsor_word)seat.loop->bands);
		seat.block->counted = sum;
	}
	__syncthreads();
	return seat.block->counted;
}

/* Whether to go on, for all bands the same. A word counts bands, those with a value above the tolerance, those with one that is lost. */
__device__ __forceinline__ bool lmsor_look(const struct lmsor_seat &seat, int place, uint64_t most)
{
	if (most >= 0x7ff0000000000000u)
		seat.block->lost = 1;
	const bool above = __syncthreads_or(most > seat.loop->stop_at);
	const lmsor_word sum = lmsor_count(seat, place, 1 | (lmsor_word)above << 16 | (lmsor_word)seat.block->lost << 32);

	return seat.loop->stop_at == UINT64_MAX || ((sum >> 16 & 0xffff) > 0 && sum >> 32 == 0);
}

template <int ROWS> __device__ __forceinline__ void lmsor_take(const struct lmsor_seat &seat, const struct lmsor_pair column[2],
							       struct lmsor_held<ROWS> *held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const struct lmsor_pair &y = seat.block->vertical[r];

#pragma unroll
		for (int colour = 0; colour < 2; colour++) {
			const struct lmsor_pair &x = column[(r + colour) & 1];

			held->u[colour][r] = *lmsor_at(seat, r, colour);
			held->omega[colour][r] = lmsor_relaxation(&seat.loop->problem, colour, x.root, y.root, x.positive && y.positive);
		}
	}
}

template <int ROWS> __device__ __forceinline__ void lmsor_give(const struct lmsor_seat &seat, const struct lmsor_held<ROWS> &held)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int colour = 0; colour < 2; colour++)
			if (seat.inside[(r + colour) & 1])
				*lmsor_at(seat, r, colour) = held.u[colour][r];
}

/* A band of ROWS rows from begin to end; column: the pairs of the thread's two columns, as in the seat. */
template <int ROWS> __device__ __forceinline__ void lmsor_run_band(const struct lmsor_seat &seat, const struct lmsor_pair column[2])
{
	const struct lmsor_loop &loop = *seat.loop;
	struct lmsor_held<ROWS> held;
	uint64_t most = 0;
	int done = 0, next = loop.look_every, looks = 0;
	bool goes_on = true;

	lmsor_take<ROWS>(seat, column, &held);
	lmsor_leave<1, ROWS>(seat, held);
	__syncthreads();
	if (threadIdx.x == 0)
		__threadfence(); /* the boxes are empty for all */
	lmsor_count(seat, looks++, 1);
	while (goes_on && done < loop.iterations) {
		most = 0;
		lmsor_half<0, ROWS>(seat, &held, 2 * (unsigned)done, &most);
		__syncthreads();
		lmsor_half<1, ROWS>(seat, &held, 2 * (unsigned)done + 1, &most);
		if (++done < next) {
			__syncthreads();
		} else {
			next += loop.look_every;
			goes_on = lmsor_look(seat, looks++, most);
		}
	}
	lmsor_give<ROWS>(seat, held);
	for (int step = 16; step > 0; step /= 2) {
		const uint64_t beside = __shfl_sync(0xffffffffu, most, seat.lane ^ step);

		most = beside > most ? beside : most;
	}
	if (seat.lane == 0)
		atomicMax((lmsor_word *)loop.board + BOARD_NORM, (lmsor_word)most);
	if (threadIdx.x == 0 && seat.band == 0)
		loop.board[BOARD_DONE] = (uint64_t)done;
}

#endif
