/* SPDX-License-Identifier: MIT
 * A block of the image solvers on a GPU: nodes and those around them in shared memory, two nodes a
 * computing thread (one of each colour), what is asked of them in registers.
 *
 * Borders in global memory are read while neighbours write them: every word by a relaxed atomic of
 * device scope, so that no compiler keeps one in a register and no word is torn; a border of
 * several words may be half old and half new, which the method allows (Section IV-A). The same
 * goes for the words around a block in shared memory, which its communicating threads change
 * while the others compute: a step sees each of them as it was, or as it is now.
 */
#ifndef WARPREEL_WEAK_BLOCK_CUH
#define WARPREEL_WEAK_BLOCK_CUH

#include <cuda_runtime.h>
#include "kernels/weak/weak_launch.h"

enum { WEAK_SHARED_PITCH = WEAK_COLUMNS + 4 }; /* rows of one colour fall on banks of their own */

template <int FIELDS> struct weak_shared {
	float u[FIELDS][WEAK_ROWS + 2][WEAK_SHARED_PITCH];
	int block;
};

/* SEVERAL: blocks of other GPUs read and write, too. */
template <bool SEVERAL = false> __device__ __forceinline__ float weak_get(const float *at)
{
	float value;

	if (SEVERAL)
		__nv_atomic_load((float *)at, &value, __NV_ATOMIC_RELAXED,
				 __NV_THREAD_SCOPE_SYSTEM);
	else
		__nv_atomic_load((float *)at, &value, __NV_ATOMIC_RELAXED,
				 __NV_THREAD_SCOPE_DEVICE);
	return value;
}

template <bool SEVERAL = false> __device__ __forceinline__ void weak_put(float *at, float value)
{
	if (SEVERAL)
		__nv_atomic_store(at, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
	else
		__nv_atomic_store(at, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/* In which a NaN shows. */
__device__ __forceinline__ float weak_larger(float a, float b)
{
	return b > a || b != b ? b : a;
}

/* Where its first node is among the values of a field. */
__device__ __forceinline__ int64_t weak_origin(const struct weak_launch &l, int block)
{
	const struct weak_place p = weak_place_of(&l.grid, block);

	return weak_at(&l.grid, p.plane, p.down * WEAK_ROWS, p.across * WEAK_COLUMNS);
}

/* A computing thread's two nodes; both colours of row `row` at columns `column` and beside it. */
struct weak_seat {
	int row, column[2]; /* by colour */
	float asked[2], weight[2];
};

__device__ __forceinline__ struct weak_seat weak_sit(const struct weak_launch &l, int64_t origin)
{
	const int pitch = weak_pitch(&l.grid);
	struct weak_seat seat;

	seat.row = (int)threadIdx.x / (WEAK_COLUMNS / 2);
	for (int colour = 0; colour < 2; colour++) {
		const int column =
			2 * ((int)threadIdx.x % (WEAK_COLUMNS / 2)) + ((seat.row + colour) & 1);
		const int64_t at = origin + (int64_t)seat.row * pitch + column;

		seat.column[colour] = column;
		seat.asked[colour] = l.constants[at];
		seat.weight[colour] = l.constants[weak_values(&l.grid) + at];
	}
	return seat;
}

/* What a node becomes. */
template <int RULE>
__device__ __forceinline__ struct weak_pair weak_next(const struct weak_shared<RULE + 1> &s,
						      const struct weak_seat &seat, int colour,
						      const struct weak_terms &terms)
{
	const int r = seat.row + 1, c = seat.column[colour] + 1;
	const float(*u)[WEAK_SHARED_PITCH] = s.u[0];
	struct weak_pair own = { u[r][c], 0 };

	if (RULE == WEAK_POISSON) {
		own.f = weak_poisson_update(own.f, u[r - 1][c], u[r + 1][c], u[r][c - 1],
					    u[r][c + 1], seat.asked[colour], seat.weight[colour]);
		return own;
	}
	const float(*v)[WEAK_SHARED_PITCH] = s.u[RULE];
	const struct weak_pair sum = { (u[r - 1][c] + u[r + 1][c]) + (u[r][c - 1] + u[r][c + 1]),
				       (v[r - 1][c] + v[r + 1][c]) + (v[r][c - 1] + v[r][c + 1]) };

	own.g = v[r][c];
	return weak_shape_update(own, sum, seat.asked[colour], seat.weight[colour], &terms);
}

/* All computing threads of the block, and no others. */
__device__ __forceinline__ void weak_meet(void)
{
	__barrier_sync_count(1, WEAK_COMPUTING);
}

/* One step by the computing threads, which have met before. Raises *most where LOOK. */
template <int RULE, bool LOOK>
__device__ __forceinline__ void weak_step(struct weak_shared<RULE + 1> *s,
					  const struct weak_seat &seat, const struct weak_launch &l,
					  float *most)
{
	struct weak_pair next[2];

	if (l.inner == WEAK_JACOBI) {
		for (int colour = 0; colour < 2; colour++)
			next[colour] = weak_next<RULE>(*s, seat, colour, l.terms);
		weak_meet();
	}
#pragma unroll
	for (int colour = 0; colour < 2; colour++) {
		float *u = &s->u[0][seat.row + 1][seat.column[colour] + 1],
		      *v = &s->u[RULE][seat.row + 1][seat.column[colour] + 1];

		if (l.inner != WEAK_JACOBI)
			next[colour] = weak_next<RULE>(*s, seat, colour, l.terms);
		if (LOOK) {
			*most = weak_larger(*most, fabsf(next[colour].f - *u));
			if (RULE == WEAK_SHAPE)
				*most = weak_larger(*most, fabsf(next[colour].g - *v));
		}
		*u = next[colour].f;
		if (RULE == WEAK_SHAPE)
			*v = next[colour].g;
		if (l.inner != WEAK_JACOBI || colour)
			weak_meet();
	}
}

/* Node k of the border of a side (0 up, 1 down, 2 left, 3 right): its row and column, `out` beyond
 * the block. */
__device__ __forceinline__ void weak_edge(int side, int k, int out, int *row, int *column)
{
	*row = side == 0 ? -out : side == 1 ? WEAK_ROWS - 1 + out : k;
	*column = side == 2 ? -out : side == 3 ? WEAK_COLUMNS - 1 + out : k;
}

/* Thread k of 104 threads is at node *k of side: 32, 32, 20, 20. */
__device__ __forceinline__ int weak_side_of(int *k)
{
	if (*k < 2 * WEAK_COLUMNS) {
		const int side = *k / WEAK_COLUMNS;

		*k %= WEAK_COLUMNS;
		return side;
	}
	*k -= 2 * WEAK_COLUMNS;
	const int side = 2 + *k / WEAK_ROWS;

	*k %= WEAK_ROWS;
	return side;
}

/* Borders out to `to`. Threads `first` to `first + count` of the block, of which this is `thread`.
 */
template <int FIELDS>
__device__ __forceinline__ void weak_send(const struct weak_shared<FIELDS> &s,
					  const struct weak_launch &l, float *to, int64_t origin,
					  int thread, int count)
{
	const int most = l.talk == WEAK_FOUR_WAYS ? WEAK_BORDER : 2 * WEAK_COLUMNS;

	for (int n = thread; n < most; n += count) {
		int k = n, row, column;
		const int side = weak_side_of(&k);

		weak_edge(side, k, 0, &row, &column);
		for (int field = 0; field < FIELDS; field++) {
			float *at = to + field * weak_values(&l.grid) + origin +
				    (int64_t)row * weak_pitch(&l.grid) + column;

			if (l.combine && side > 1)
				at = l.pack + weak_pack_at(&l.grid, field, s.block, side - 2, row);
			weak_put(at, s.u[field][row + 1][column + 1]);
		}
	}
}

/* The GPU that has the rows of blocks beyond a side of a block, or NULL: it is this one. */
__device__ __forceinline__ const struct weak_peer *weak_peer_beyond(const struct weak_launch &l,
								    int block, int side)
{
	const int row = block / l.grid.across, first = l.order[0] / l.grid.across,
		  last = first + (int)gridDim.x / l.grid.across - 1;

	return side == 0 && row == first && l.above.values  ? &l.above
	       : side == 1 && row == last && l.below.values ? &l.below
							    : NULL;
}

/* As weak_send, to other GPUs; next: into their other grid. */
template <int FIELDS>
__device__ __forceinline__ void weak_send_beyond(const struct weak_shared<FIELDS> &s,
						 const struct weak_launch &l, bool next,
						 int64_t origin)
{
	const int side = (int)threadIdx.x / WEAK_COLUMNS;
	int row, column;
	const struct weak_peer *peer = side < 2 ? weak_peer_beyond(l, s.block, side) : NULL;

	if (!peer)
		return;
	weak_edge(side, (int)threadIdx.x % WEAK_COLUMNS, 0, &row, &column);
	for (int field = 0; field < FIELDS; field++)
		weak_put<true>((next ? peer->next : peer->values) + field * weak_values(&l.grid) +
				       origin + (int64_t)row * weak_pitch(&l.grid) + column,
			       s.u[field][row + 1][column + 1]);
}

/* Those of neighbours in from `from`; `all`: of every side, as at the begin of a launch. */
template <int FIELDS, bool SEVERAL = false>
__device__ __forceinline__ void weak_receive(struct weak_shared<FIELDS> *s,
					     const struct weak_launch &l, const float *from,
					     int64_t origin, int thread, int count, bool all)
{
	const int most = all || l.talk == WEAK_FOUR_WAYS ? WEAK_BORDER : 2 * WEAK_COLUMNS;

	for (int n = thread; n < most; n += count) {
		int k = n, row, column;
		const int side = weak_side_of(&k), beside = weak_beside(&l.grid, s->block, side);

		if (beside < 0 && !all)
			continue;
		weak_edge(side, k, 1, &row, &column);
		for (int field = 0; field < FIELDS; field++) {
			const float *at = from + field * weak_values(&l.grid) + origin +
					  (int64_t)row * weak_pitch(&l.grid) + column;

			if (l.combine && side > 1 && beside >= 0 && !all)
				at = l.pack + weak_pack_at(&l.grid, field, beside, side == 2, row);
			s->u[field][row + 1][column + 1] = weak_get<SEVERAL>(at);
		}
	}
}

/*
 * How old the borders are that a block reads: whoever reads the first node of a side compares the
 * step written beside it with its own. Steps count on from launch to launch.
 */
__device__ __forceinline__ void weak_note_ages(const struct weak_launch &l, int block, uint32_t own,
					       int thread, int count)
{
	for (int side = thread; side < 4; side += count) {
		uint32_t *stamps = l.ages + WEAK_AGES, read, mine = own;
		const int beside = weak_beside(&l.grid, block, side);

		__nv_atomic_store(stamps + 4 * block + side, &mine, __NV_ATOMIC_RELAXED,
				  __NV_THREAD_SCOPE_DEVICE);
		if (beside < 0 || (l.talk == WEAK_UP_DOWN && side > 1))
			continue;
		__nv_atomic_load(stamps + 4 * beside + (side ^ 1), &read, __NV_ATOMIC_RELAXED,
				 __NV_THREAD_SCOPE_DEVICE);
		const int age = (int)(own - read) + WEAK_AGE_ZERO;

		atomicAdd(l.ages + (age < 0 ? 0 : age >= WEAK_AGES ? WEAK_AGES - 1 : age), 1u);
	}
}

/* The greatest value of the computing threads, raised at a word; a NaN is above all. */
__device__ __forceinline__ void weak_raise(uint32_t *word, float most)
{
	const int thread = (int)threadIdx.x;

	for (int step = 16; step > 0; step /= 2)
		most = weak_larger(most, __shfl_sync(0xffffffffu, most, (thread & 31) ^ step));
	if ((thread & 31) == 0)
		atomicMax(word, (uint32_t)__float_as_int(most));
}

#endif
