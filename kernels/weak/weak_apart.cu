/* SPDX-License-Identifier: MIT
 * Scheme apart: asynchronous iterations as of scheme async, whose borders are exchanged by threads
 * of their own, for which those who compute never wait.
 *
 * An exchanging warp has a side of the block, or several: it sends that side's nodes, asks for
 * those beyond it, puts them down around the block, and begins again when the block has made
 * `exchange` more steps. Left and right borders are packed (Section IV-B, combine), so that a
 * warp's words lie side by side.
 *
 * Who waits for whom: computing threads for each other, at a barrier that only they count at; all
 * threads of a block at checks, at one line of the code. Between checks the two parties share words
 * of shared memory, each of which is read and written whole. A step sees a word around the block as
 * it was or as it is now, and one that is sent is of this step or of the last, which the method
 * allows (Section IV-A).
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_block.cuh"
#include "weak_grid.cuh"
#include "weak_square.cuh"

enum { WARP = 32, SIDES = 4 };

/* What the parties of a block tell each other. */
struct weak_said {
	uint32_t steps;	 /* made by the block */
	uint32_t heard;	 /* checks that have been called for, by who exchanges */
	uint32_t called; /* the same, told by one thread to all that compute */
	uint32_t leave;	 /* checks for which steps have ended */
	uint32_t loud;	 /* the last look at which a node changed by more than the tolerance */
};

/* A lane's node of a side and the one beyond it; words of the first field. */
struct weak_way {
	bool any;
	int own, halo; /* of the block's words in shared memory */
	float *to;
	const float *from;
};

/* Side k of those of a warp. */
template <int WARPS> __device__ __forceinline__ int weak_side(int k)
{
	return ((int)threadIdx.x - WEAK_SQUARES) / WARP + k * WARPS;
}

template <bool SEVERAL>
__device__ __forceinline__ struct weak_way weak_way_of(const struct weak_launch &l, int block,
						       int64_t origin, int side)
{
	const int lane = (int)threadIdx.x % WARP, beside = weak_beside(&l.grid, block, side);
	const int64_t pitch = weak_pitch(&l.grid);
	const bool packed = side > 1;
	struct weak_way w = { beside >= 0 && lane < (packed ? WEAK_ROWS : WEAK_COLUMNS) };
	int row, column;

	if (!w.any)
		return w;
	const struct weak_peer *peer = SEVERAL ? weak_peer_beyond(l, block, side) : NULL;

	weak_edge(side, lane, 0, &row, &column);
	w.own = weak_word_at(row + 1, column + 1);
	w.to = packed ? l.pack + weak_pack_at(&l.grid, 0, block, side - 2, row)
		      : (peer ? peer->values : l.values) + origin + row * pitch + column;
	weak_edge(side, lane, 1, &row, &column);
	w.halo = weak_word_at(row + 1, column + 1);
	w.from = packed ? l.pack + weak_pack_at(&l.grid, 0, beside, side == 2, row)
			: l.values + origin + row * pitch + column;
	return w;
}

/* From one field to the next, of what a side's nodes are sent to. */
__device__ __forceinline__ int64_t weak_way_field(const struct weak_launch &l, int side)
{
	return side > 1 ? weak_pack_at(&l.grid, 1, 0, 0, 0) : weak_values(&l.grid);
}

template <int FIELDS, bool SEVERAL, int WARPS>
__device__ __forceinline__ void weak_ways_send(struct weak_coloured<FIELDS> *s,
					       const struct weak_launch &l,
					       const struct weak_way (&way)[SIDES / WARPS])
{
	float *const words = &s->u[0][0][0][0];

#pragma unroll
	for (int n = 0; n < SIDES / WARPS * FIELDS; n++) {
		const struct weak_way &w = way[n / FIELDS];
		const int field = n % FIELDS;

		if (w.any)
			weak_put<SEVERAL>(
				w.to + field * weak_way_field(l, weak_side<WARPS>(n / FIELDS)),
				weak_see(words + field * WEAK_COLOURED_FIELD + w.own));
	}
}

/* All sides are asked for before one is put down, so that a warp waits once. */
template <int FIELDS, bool SEVERAL, int WARPS>
__device__ __forceinline__ void weak_ways_receive(struct weak_coloured<FIELDS> *s,
						  const struct weak_launch &l,
						  const struct weak_way (&way)[SIDES / WARPS])
{
	float *const words = &s->u[0][0][0][0];
	float pending[SIDES / WARPS * FIELDS];

#pragma unroll
	for (int n = 0; n < SIDES / WARPS * FIELDS; n++)
		if (way[n / FIELDS].any)
			pending[n] = weak_get<SEVERAL>(
				way[n / FIELDS].from +
				n % FIELDS * weak_way_field(l, weak_side<WARPS>(n / FIELDS)));
#pragma unroll
	for (int n = 0; n < SIDES / WARPS * FIELDS; n++)
		if (way[n / FIELDS].any)
			weak_say(words + n % FIELDS * WEAK_COLOURED_FIELD + way[n / FIELDS].halo,
				 pending[n]);
}

/* Until who computes has left for check `check`. */
template <int FIELDS, bool SEVERAL, int WARPS>
__device__ __forceinline__ void
weak_exchange_on(struct weak_coloured<FIELDS> *s, const struct weak_launch &l,
		 struct weak_said *said, const struct weak_way (&way)[SIDES / WARPS],
		 uint32_t check)
{
	uint32_t next = 0;

	while (weak_see(&said->leave) <= check) {
		const uint32_t made = weak_see(&said->steps);

		if (made < next)
			continue;
		next = made + (uint32_t)l.exchange;
		weak_ways_send<FIELDS, SEVERAL, WARPS>(s, l, way);
		weak_ways_receive<FIELDS, SEVERAL, WARPS>(s, l, way);
		if (threadIdx.x == WEAK_SQUARES)
			weak_say(&said->heard, weak_heard<SEVERAL>(l));
	}
}

/* Until check `check` has been called for; how many steps have been made. */
template <int RULE, bool JACOBI, bool SEVERAL>
__device__ __forceinline__ int weak_compute_on(struct weak_coloured<RULE + 1> *s,
					       const struct weak_launch &l, struct weak_said *said,
					       struct weak_square *q, int done, uint32_t check,
					       uint32_t *looks, bool *counted)
{
	const bool first = threadIdx.x == 0;
	struct weak_news news = { &said->called, &said->loud, 0, check };
	int look = done + l.every;

	while (news.called <= check && done < l.steps) {
		const int left = l.steps - done, phase = left < l.exchange ? left : l.exchange;

		for (int k = 1; k < phase; k++)
			weak_square_step<RULE, JACOBI, false>(s, q, l, NULL);
		done += phase;
		news.look = done >= look ? ++*looks : 0;
		if (first)
			weak_say(&said->called, weak_see(&said->heard));
		weak_square_step<RULE, JACOBI, true>(s, q, l, &news);
		if (first)
			weak_say(&said->steps, (uint32_t)done);
		if (!news.look)
			continue;
		look = done + l.every;
		if (first)
			weak_count<SEVERAL>(l, weak_see(&said->loud) != news.look, counted, check);
	}
	if (!first)
		return done;
	/* Others do not go on for longer, but where all steps are asked for. */
	if (done == l.steps && l.tolerance >= 0)
		weak_raise_all<SEVERAL>(l, WEAK_STATUS_CALLED, check + 1);
	weak_raise_all<SEVERAL>(l, WEAK_STATUS_STEPS, (uint32_t)done);
	weak_count<SEVERAL>(l, false, counted, check);
	weak_say(&said->leave, check + 1);
	return done;
}

/* By all threads: the residual of all blocks, of one state; true: the steps are over. */
template <int RULE, bool SEVERAL, int WARPS>
__device__ __forceinline__ bool
weak_check_squares(struct weak_coloured<RULE + 1> *s, const struct weak_launch &l,
		   const struct weak_square &q, const struct weak_way (&way)[SIDES / WARPS],
		   uint32_t check, uint32_t *met)
{
	enum { FIELDS = RULE + 1 };
	uint32_t *word = l.status + WEAK_STATUS_CHANGE;
	const bool computes = threadIdx.x < WEAK_SQUARES;

	__syncthreads();
	if (!computes)
		weak_ways_send<FIELDS, SEVERAL, WARPS>(s, l, way);
	if (threadIdx.x == 0 && blockIdx.x == 0)
		word[(check + 1) % 3] = 0;
	weak_meet_all<SEVERAL>(l, ++*met);
	const uint32_t made = weak_acquire<SEVERAL>(l.status + WEAK_STATUS_STEPS);

	if (!computes)
		weak_ways_receive<FIELDS, SEVERAL, WARPS>(s, l, way);
	__syncthreads();
	if (computes)
		weak_raise(word + check % 3, weak_square_change<RULE>(*s, q, l.terms));
	weak_meet_all<SEVERAL>(l, ++*met, word + check % 3);
	return !(weak_changed<SEVERAL>(l, word + check % 3) > l.tolerance) ||
	       made >= (uint32_t)l.steps;
}

/* Nodes of the block, and those around it, of fields [RULE + 1] from values. */
template <int RULE>
__device__ __forceinline__ void weak_load_squares(struct weak_coloured<RULE + 1> *s,
						  const struct weak_launch &l, int64_t origin,
						  struct weak_square *q)
{
	enum { ROWS = WEAK_ROWS + 2, COLUMNS = WEAK_COLUMNS + 2 };
	const int pitch = weak_pitch(&l.grid), thread = (int)threadIdx.x;
	const int64_t field = weak_values(&l.grid);

	for (int n = thread; n < ROWS * COLUMNS * (RULE + 1); n += (int)blockDim.x) {
		const int k = n / (ROWS * COLUMNS), row = n / COLUMNS % ROWS, column = n % COLUMNS;

		(&s->u[k][0][0][0])[weak_word_at(row, column)] = weak_get(
			&l.values[k * field + origin + (int64_t)(row - 1) * pitch + column - 1]);
	}
	__syncthreads();
	q->row = 2 * (thread / (WEAK_COLUMNS / 2)) + 1, q->word = thread % (WEAK_COLUMNS / 2);
	if (thread >= WEAK_SQUARES)
		return;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		const int64_t at =
			origin + (int64_t)(q->row - 1 + k / 2) * pitch + 2 * q->word + k % 2;
		const int colour = weak_colour_of(k), r = q->row + k / 2, w = q->word + k % 2;

		q->asked[k] = l.constants[at];
		q->weight[k] = l.constants[field + at];
		q->node[k] = { s->u[0][colour][r][w],
			       RULE == WEAK_SHAPE ? s->u[RULE][colour][r][w] : 0 };
	}
}

template <int RULE, bool SEVERAL, int WARPS>
__device__ __forceinline__ void weak_run_apart(struct weak_coloured<RULE + 1> *s,
					       struct weak_said *said, const struct weak_launch &l)
{
	enum { FIELDS = RULE + 1 };
	const int thread = (int)threadIdx.x;
	const bool computes = thread < WEAK_SQUARES;
	struct weak_square q;
	struct weak_way way[SIDES / WARPS];
	uint32_t met = 0, checks = 0, looks = 0;
	int done = 0;
	bool counted = false;

	if (thread == 0) {
		s->block = l.order[blockIdx.x];
		*said = { 0, 0, 0, 0, 0 };
	}
	__syncthreads();
	const int64_t origin = weak_origin(l, s->block);

	weak_load_squares<RULE>(s, l, origin, &q);
#pragma unroll
	for (int k = 0; k < SIDES / WARPS; k++)
		if (!computes)
			way[k] = weak_way_of<SEVERAL>(l, s->block, origin, weak_side<WARPS>(k));
	do {
		if (!computes)
			weak_exchange_on<FIELDS, SEVERAL, WARPS>(s, l, said, way, checks);
		else if (l.inner == WEAK_JACOBI)
			done = weak_compute_on<RULE, true, SEVERAL>(s, l, said, &q, done, checks,
								    &looks, &counted);
		else
			done = weak_compute_on<RULE, false, SEVERAL>(s, l, said, &q, done, checks,
								     &looks, &counted);
	} while (!weak_check_squares<RULE, SEVERAL, WARPS>(s, l, q, way, checks++, &met));
#pragma unroll
	for (int k = 0; k < 4 * FIELDS; k++)
		if (computes)
			weak_put(&l.values[k / 4 * weak_values(&l.grid) + origin +
					   (int64_t)(q.row - 1 + k % 4 / 2) * weak_pitch(&l.grid) +
					   2 * q.word + k % 2],
				 k < 4 ? q.node[k % 4].f : q.node[k % 4].g);
	/* The host reads the first word. */
	weak_meet_all<SEVERAL>(l, ++met);
	if (thread == 0 && blockIdx.x == 0)
		l.status[WEAK_STATUS_CHANGE] = l.status[WEAK_STATUS_CHANGE + (checks - 1) % 3];
}

template <int RULE, bool SEVERAL>
__device__ __forceinline__ void weak_run_any(const struct weak_launch &l)
{
	__shared__ struct weak_coloured<RULE + 1> s;
	__shared__ struct weak_said said;

	if (l.communicating == WARP)
		weak_run_apart<RULE, SEVERAL, 1>(&s, &said, l);
	else
		weak_run_apart<RULE, SEVERAL, 2>(&s, &said, l);
}

#define APART(name, rule)                                                                          \
	WEAK_KERNEL_OF(name, weak_apart_geometry, (WEAK_SQUARES + 2 * WARP, 3),                    \
		       (weak_run_any<rule, false>), (weak_run_any<rule, true>))

APART(poisson_apart, WEAK_POISSON)
APART(shape_apart, WEAK_SHAPE)

extern "C" const struct cuda_kernel weak_apart_kernels[] = {
	{ "poisson_apart", launch_poisson_apart },
	{ "shape_apart", launch_shape_apart },
	{ 0, 0 },
};
