/* SPDX-License-Identifier: MIT
 * A check in the middle of a launch that makes all steps, of blocks that read what they find.
 */
#ifndef WARPREEL_WEAK_CHECK_CUH
#define WARPREEL_WEAK_CHECK_CUH

#include "weak_block.cuh"
#include "weak_grid.cuh"

/* The residual of all blocks, whose borders are sent before; true: the steps are over. made: the
 * steps that have been told of before, or NULL; nobody tells more until all have read them. */
template <int RULE, bool SEVERAL = false>
__device__ __forceinline__ bool weak_check_all(struct weak_shared<RULE + 1> *s,
					       const struct weak_launch &l,
					       const struct weak_seat &seat, int64_t origin,
					       uint32_t check, uint32_t *met, uint32_t *made = NULL)
{
	uint32_t *word = l.status + WEAK_STATUS_CHANGE;
	const int thread = (int)threadIdx.x;
	float most = 0;

	weak_send(*s, l, l.values, origin, thread, WEAK_COMPUTING);
	if (SEVERAL)
		weak_send_beyond(*s, l, false, origin);
	if (thread == 0 && blockIdx.x == 0)
		word[(check + 1) % 3] = 0;
	weak_meet_all<SEVERAL>(l, ++*met);
	if (made)
		*made = weak_acquire<SEVERAL>(l.status + WEAK_STATUS_STEPS);
	weak_receive<RULE + 1, SEVERAL>(s, l, l.values, origin, thread, WEAK_COMPUTING, true);
	__syncthreads();
	for (int colour = 0; colour < 2; colour++) {
		const struct weak_pair next = weak_next<RULE>(*s, seat, colour, l.terms);
		const int r = seat.row + 1, c = seat.column[colour] + 1;

		most = weak_larger(most, fabsf(next.f - s->u[0][r][c]));
		if (RULE == WEAK_SHAPE)
			most = weak_larger(most, fabsf(next.g - s->u[RULE][r][c]));
	}
	weak_raise(word + check % 3, most);
	weak_meet_all<SEVERAL>(l, ++*met, word + check % 3);
	return !(weak_changed<SEVERAL>(l, word + check % 3) > l.tolerance);
}

#endif
