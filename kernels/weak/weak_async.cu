/* SPDX-License-Identifier: MIT
 * Scheme async: asynchronous iterations (Frommer and Szyld, On asynchronous iterations, J. Comput.
 * Appl. Math. 123, 2000), what the paper could not have. As scheme free, but that blocks meet only
 * when each of them has said that little changes, and that no barrier is there for borders.
 *
 * Borders: a red node is computed from black ones and from words around the block, a black one from
 * red ones. So while red nodes are computed nobody reads the words beyond black nodes of the border
 * and nobody writes these nodes: then they are sent and those words are changed; and the other way
 * round. What is asked for at one exchange is taken up at the next.
 *
 * Checks: every `every` steps a block sees by how much its nodes change. Where that falls below the
 * tolerance, or rises above it again, it counts itself in or out. Who is the last one in calls all;
 * a block hears of it with its borders, and goes to a check as of scheme free, of a residual that
 * belongs to one state. Blocks make different numbers of steps; the greatest is told.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_check.cuh"
#include "weak_own.cuh"
#include "weak_quiet.cuh"

/* What the threads of a block tell each other. */
struct weak_told {
	uint32_t
		called; /* checks that have been called for, written and read in different halves */
	uint32_t loud;	/* the last look at which a node changed by more than the tolerance */
};

/* A thread's node of the border and the word beyond it, of those that have one. Warps have nodes of
 * one colour: 52 of each. */
template <int FIELDS> struct weak_line {
	bool any;
	int colour;
	int16_t row, column, halo_row, halo_column;
	int64_t at, beyond; /* among the values of a field */
	float *to;	    /* values of the GPU that reads the node */
	float pending[FIELDS];
};

template <int FIELDS, bool SEVERAL>
__device__ __forceinline__ struct weak_line<FIELDS> weak_line_of(const struct weak_launch &l,
								 int block, int64_t origin) {
	enum { WARPS = 64, HALF_COLUMNS = WEAK_COLUMNS / 2, HALF_ROWS = WEAK_ROWS / 2 };
	const int thread = (int)threadIdx.x, pitch = weak_pitch(&l.grid);
	struct weak_line<FIELDS> b = {
	};
	int k = thread % WARPS, row, column;

	b.colour = thread / WARPS;
	if (b.colour > 1 || k >= WEAK_BORDER / 2)
		return b;
	const int side =
		k < 2 * HALF_COLUMNS ? k / HALF_COLUMNS : 2 + (k - 2 * HALF_COLUMNS) / HALF_ROWS;

	/* The first node of an odd side is a black one. */
	k = side < 2 ? k % HALF_COLUMNS : (k - 2 * HALF_COLUMNS) % HALF_ROWS;
	k = 2 * k + (b.colour ^ (side & 1));
	b.any = weak_beside(&l.grid, block, side) >= 0;
	weak_edge(side, k, 0, &row, &column);
	b.row = (int16_t)row, b.column = (int16_t)column;
	const struct weak_peer *peer = SEVERAL ? weak_peer_beyond(l, block, side) : NULL;

	b.to = peer ? peer->values : l.values;
	b.at = origin + (int64_t)row * pitch + column;
	weak_edge(side, k, 1, &row, &column);
	b.halo_row = (int16_t)row, b.halo_column = (int16_t)column;
	b.beyond = origin + (int64_t)row * pitch + column;
	return b;
}

/* What has come is taken up in half `half` of a step, and own nodes are told: of Jacobi's in one
 * half, the one in which nodes are only read, and in the other. */
template <int RULE, bool JACOBI, bool SEVERAL>
__device__ __forceinline__ void weak_trade(struct weak_shared<RULE + 1> *s,
					   const struct weak_launch &l,
					   const struct weak_line<RULE + 1> &b, int half)
{
	float *const to = SEVERAL ? b.to : l.values;

	for (int k = 0; k < RULE + 1 && b.any; k++) {
		if (JACOBI ? half == 0 : half != b.colour)
			weak_put<SEVERAL>(&to[k * weak_values(&l.grid) + b.at],
					  s->u[k][b.row + 1][b.column + 1]);
		if (JACOBI ? half == 1 : half != b.colour)
			s->u[k][b.halo_row + 1][b.halo_column + 1] = b.pending[k];
	}
}

/* One place in the code asks: of two, the one would wait for what the other has asked for. */
template <int RULE, bool SEVERAL>
__device__ __forceinline__ void weak_ask(const struct weak_launch &l, struct weak_line<RULE + 1> *b)
{
	for (int k = 0; k < RULE + 1 && b->any; k++)
		b->pending[k] = weak_get<SEVERAL>(&l.values[k * weak_values(&l.grid) + b->beyond]);
}

/* One step. TRADES: borders are exchanged in it; what has been called is told, of which `*called`
 * says. looks: of which this is the number; 0: none. */
template <int RULE, bool JACOBI, bool TRADES, bool SEVERAL>
__device__ __forceinline__ void
weak_step_async(struct weak_shared<RULE + 1> *s, struct weak_told *told,
		const struct weak_seat &seat, const struct weak_launch &l, struct weak_own *own,
		struct weak_line<RULE + 1> *b, uint32_t looks, uint32_t *heard, uint32_t *called)
{
	struct weak_pair next[2] = {};
	bool over = false;

#pragma unroll
	for (int half = 0; half < 2; half++) {
		const struct weak_pair before = own->node[half];

		if (!JACOBI || half == 0)
			next[half] = weak_next_own<RULE>(*s, seat, half, *own, l.terms);
		if (JACOBI && half == 0)
			next[1] = weak_next_own<RULE>(*s, seat, 1, *own, l.terms);
		if (!JACOBI)
			weak_keep<RULE>(s, seat, half, own, next[half]);
		if (TRADES) {
			over |= weak_over<RULE>(next[half], before, l.tolerance);
			weak_trade<RULE, JACOBI, SEVERAL>(s, l, *b, half);
			if (half == 0 && threadIdx.x == 0)
				told->called = *heard;
			if (half == 1) {
				*called = told->called;
				weak_ask<RULE, SEVERAL>(l, b);
				if (threadIdx.x == 0)
					*heard = weak_heard<SEVERAL>(l);
			}
			if (half == 1 && looks && over)
				atomicMax(&told->loud, looks);
		}
		if (JACOBI && half == 1) {
			weak_keep<RULE>(s, seat, 0, own, next[0]);
			weak_keep<RULE>(s, seat, 1, own, next[1]);
		}
		__syncthreads();
	}
}

/* PHASE: steps from one exchange to the next; 0: as the launch says. Where they are a loop of their
 * own, what has been asked for is waited for where that begins. */
template <int RULE, bool JACOBI, bool SEVERAL, int PHASE>
__device__ __forceinline__ void weak_run_async(struct weak_shared<RULE + 1> *s,
					       struct weak_told *told, const struct weak_launch &l)
{
	enum { FIELDS = RULE + 1 };
	const int thread = (int)threadIdx.x, pitch = weak_pitch(&l.grid);
	const int64_t field = weak_values(&l.grid);
	const int phase = PHASE ? PHASE : l.exchange < l.steps ? l.exchange : l.steps;
	struct weak_own own;
	uint32_t met = 0, checks = 0, looks = 0, heard = 0, called = 0;
	bool over = false, counted = false;

	if (thread == 0) {
		s->block = l.order[blockIdx.x];
		*told = { 0, 0 };
	}
	__syncthreads();
	const int64_t origin = weak_origin(l, s->block);
	struct weak_seat seat = weak_sit(l, origin);
	struct weak_line<FIELDS> b = weak_line_of<FIELDS, SEVERAL>(l, s->block, origin);

#pragma unroll
	for (int colour = 0; colour < 2; colour++) {
		const int64_t at = origin + (int64_t)seat.row * pitch + seat.column[colour];
		const struct weak_pair first = { l.values[at],
						 RULE == WEAK_SHAPE ? l.values[field + at] : 0 };

		weak_keep<RULE>(s, seat, colour, &own, first);
	}
	weak_receive(s, l, l.values, origin, thread, WEAK_COMPUTING, true);
	/* The same values, but by an instruction: what steps read is no load that may be on its
	 * way, so that they do not wait for the scoreboard it has in common with what is asked for.
	 */
	for (int colour = 0; colour < 2; colour++) {
		seat.asked[colour] += 0.0f;
		seat.weight[colour] = fmaxf(seat.weight[colour], 0.0f);
	}
	__syncthreads();
	for (int k = 0; k < FIELDS && b.any; k++)
		b.pending[k] = s->u[k][b.halo_row + 1][b.halo_column + 1];
	int done = l.steps % phase;

	for (int k = 0; k < done; k++)
		weak_step_async<RULE, JACOBI, false, SEVERAL>(s, told, seat, l, &own, &b, 0, &heard,
							      &called);
	for (int look = done + l.every; !over;) {
#pragma unroll
		for (int k = 1; k < phase; k++)
			weak_step_async<RULE, JACOBI, false, SEVERAL>(s, told, seat, l, &own, &b, 0,
								      &heard, &called);
		done += phase;
		const bool looking = done >= look;

		looks += looking;
		weak_step_async<RULE, JACOBI, true, SEVERAL>(s, told, seat, l, &own, &b,
							     looking ? looks : 0, &heard, &called);
		if (looking) {
			look = done + l.every;
			if (thread == 0)
				weak_count<SEVERAL>(l, told->loud != looks, &counted, checks);
		}
		if (called <= checks && done < l.steps)
			continue;
		if (thread == 0) {
			/* Others do not go on for longer, but where all steps are asked for. */
			if (done == l.steps && l.tolerance >= 0)
				weak_raise_all<SEVERAL>(l, WEAK_STATUS_CALLED, checks + 1);
			weak_raise_all<SEVERAL>(l, WEAK_STATUS_STEPS, (uint32_t)done);
			weak_count<SEVERAL>(l, false, &counted, checks);
		}
		uint32_t made;

		over = weak_check_all<RULE, SEVERAL>(s, l, seat, origin, checks++, &met, &made) ||
		       made >= (uint32_t)l.steps;
		for (int k = 0; k < FIELDS && b.any; k++)
			b.pending[k] = s->u[k][b.halo_row + 1][b.halo_column + 1];
		heard = checks;
		look = done + l.every;
	}
	for (int k = 0; k < 2 * FIELDS; k++)
		weak_put(&l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				   seat.column[k & 1]],
			 s->u[k / 2][seat.row + 1][seat.column[k & 1] + 1]);
	/* The host reads the first word. */
	weak_meet_all<SEVERAL>(l, ++met);
	if (thread == 0 && blockIdx.x == 0)
		l.status[WEAK_STATUS_CHANGE] = l.status[WEAK_STATUS_CHANGE + (checks - 1) % 3];
}

/* The code of the intervals that pay. */
template <int RULE, bool SEVERAL>
__device__ __forceinline__ void weak_run_any(const struct weak_launch &l)
{
	__shared__ struct weak_shared<RULE + 1> s;
	__shared__ struct weak_told told;

	if (l.inner == WEAK_JACOBI)
		weak_run_async<RULE, true, SEVERAL, 0>(&s, &told, l);
	else if (l.exchange == 1 && !SEVERAL)
		weak_run_async<RULE, false, false, 1>(&s, &told, l);
	else if (l.exchange == 2 && l.steps > 1)
		weak_run_async<RULE, false, SEVERAL, 2>(&s, &told, l);
	else if (l.exchange == 3 && l.steps > 2 && !SEVERAL)
		weak_run_async<RULE, false, false, 3>(&s, &told, l);
	else
		weak_run_async<RULE, false, SEVERAL, 0>(&s, &told, l);
}

#define ASYNC(name, rule)                                                                          \
	WEAK_KERNEL_OF(name, weak_whole_geometry, (WEAK_COMPUTING, 3),                             \
		       (weak_run_any<rule, false>), (weak_run_any<rule, true>))

ASYNC(poisson_async, WEAK_POISSON)
ASYNC(shape_async, WEAK_SHAPE)

extern "C" const struct cuda_kernel weak_async_kernels[] = {
	{ "poisson_async", launch_poisson_async },
	{ "shape_async", launch_shape_async },
	{ 0, 0 },
};
