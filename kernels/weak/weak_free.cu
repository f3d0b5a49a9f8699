/* SPDX-License-Identifier: MIT
 * Scheme free, what the paper could not have: every block is resident, one launch makes all steps,
 * and borders go as in 4W. Blocks meet at checks alone, and the host takes no part in those.
 *
 * A node and the one of the other colour beside it are one thread's, which keeps both: of a node's
 * four neighbours three are read from shared memory. A word of another block's border is asked for
 * at the end of an exchange and taken up at the end of the next, so that nobody waits for it.
 *
 * On several GPUs each has its rows of blocks; whose border is another GPU's to read stores it into
 * that one's memory, and all blocks of all GPUs meet at checks.
 *
 * Why the inside is no race: words around a block are written between two barriers, before which
 * and after which they are read. Outside, words are relaxed atomics (weak_block.cuh).
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_check.cuh"
#include "weak_own.cuh"

/* A thread's node of the border and the one beyond it, of those that have one. */
struct weak_beyond {
	bool any;
	int row, column, halo_row, halo_column;
	float *at;	     /* of the GPU that reads it */
	const float *beyond; /* of this one */
};

__device__ __forceinline__ struct weak_beyond
weak_look_beyond(const struct weak_launch &l, int block, int64_t origin, bool several)
{
	struct weak_beyond b = { false, 0, 0, 0, 0, NULL, NULL };
	int k = (int)threadIdx.x;

	if (k >= WEAK_BORDER)
		return b;
	const int side = weak_side_of(&k);

	b.any = weak_beside(&l.grid, block, side) >= 0;
	weak_edge(side, k, 0, &b.row, &b.column);
	weak_edge(side, k, 1, &b.halo_row, &b.halo_column);
	const struct weak_peer *peer = several ? weak_peer_beyond(l, block, side) : NULL;

	b.at = (peer ? peer->values : l.values) + origin + (int64_t)b.row * weak_pitch(&l.grid) +
	       b.column;
	b.beyond = l.values + origin + (int64_t)b.halo_row * weak_pitch(&l.grid) + b.halo_column;
	return b;
}

template <int RULE, bool SEVERAL>
__device__ __forceinline__ void weak_run_free(const struct weak_launch &l)
{
	enum { FIELDS = RULE + 1 };
	__shared__ struct weak_shared<FIELDS> s;
	const int thread = (int)threadIdx.x, pitch = weak_pitch(&l.grid);
	const int64_t field = weak_values(&l.grid);
	float pending[FIELDS] = { 0 };
	struct weak_own own;
	uint32_t met = 0, checks = 0;
	bool over = false;

	if (thread == 0)
		s.block = l.order[blockIdx.x];
	__syncthreads();
	const int64_t origin = weak_origin(l, s.block);
	const struct weak_seat seat = weak_sit(l, origin);
	const struct weak_beyond b = weak_look_beyond(l, s.block, origin, SEVERAL);

#pragma unroll
	for (int colour = 0; colour < 2; colour++) {
		const int64_t at = origin + (int64_t)seat.row * pitch + seat.column[colour];
		const struct weak_pair first = { l.values[at],
						 RULE == WEAK_SHAPE ? l.values[field + at] : 0 };

		weak_keep<RULE>(&s, seat, colour, &own, first);
	}
	weak_receive(&s, l, l.values, origin, thread, WEAK_COMPUTING, true);
	__syncthreads();
	for (int k = 0; k < FIELDS && b.any; k++)
		pending[k] = s.u[k][b.halo_row + 1][b.halo_column + 1];
	/* No step divides to know what comes after it. */
	for (int done = 0, exchange = l.exchange, check = l.every; !over;) {
		const int soon = exchange < check ? exchange : check, left = l.steps - done,
			  phase = soon < left ? soon : left;

		if (l.inner == WEAK_JACOBI)
			for (int k = 0; k < phase; k++)
				weak_step_jacobi<RULE>(&s, seat, l.terms, &own);
		else
			for (int k = 0; k < phase; k++)
				weak_step_red_black<RULE>(&s, seat, l.terms, &own);
		done += phase;
		exchange -= phase;
		check -= phase;
		if (exchange == 0) {
			exchange = l.exchange;
			for (int k = 0; k < FIELDS && b.any; k++) {
				weak_put<SEVERAL>(b.at + k * field,
						  s.u[k][b.row + 1][b.column + 1]);
				s.u[k][b.halo_row + 1][b.halo_column + 1] = pending[k];
				pending[k] = weak_get<SEVERAL>(b.beyond + k * field);
			}
			__syncthreads();
		}
		if (check == 0 || done == l.steps) {
			check = l.every;
			over = weak_check_all<RULE, SEVERAL>(&s, l, seat, origin, checks++, &met) ||
			       done == l.steps;
			for (int k = 0; k < FIELDS && b.any; k++)
				pending[k] = s.u[k][b.halo_row + 1][b.halo_column + 1];
			if (over && thread == 0 && blockIdx.x == 0)
				l.status[WEAK_STATUS_STEPS] = (uint32_t)done;
		}
	}
	for (int k = 0; k < 2 * FIELDS; k++)
		weak_put(&l.values[k / 2 * field + origin + (int64_t)seat.row * pitch +
				   seat.column[k & 1]],
			 s.u[k / 2][seat.row + 1][seat.column[k & 1] + 1]);
	/* The host reads the first word. */
	weak_meet_all<SEVERAL>(l, ++met);
	if (thread == 0 && blockIdx.x == 0)
		l.status[WEAK_STATUS_CHANGE] = l.status[WEAK_STATUS_CHANGE + (checks - 1) % 3];
}

#define FREE(name, rule)                                                                           \
	WEAK_KERNEL_OF(name, weak_whole_geometry, (WEAK_COMPUTING, 3),                             \
		       (weak_run_free<rule, false>), (weak_run_free<rule, true>))

FREE(poisson_free, WEAK_POISSON)
FREE(shape_free, WEAK_SHAPE)

extern "C" const struct cuda_kernel weak_free_kernels[] = {
	{ "poisson_free", launch_poisson_free },
	{ "shape_free", launch_shape_free },
	{ 0, 0 },
};
