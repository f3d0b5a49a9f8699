/* SPDX-License-Identifier: MIT
 * A step by threads that keep their two nodes in registers: of a node's four neighbours three are
 * read from shared memory, where the thread writes its own for others.
 */
#ifndef WARPREEL_WEAK_OWN_CUH
#define WARPREEL_WEAK_OWN_CUH

#include "weak_block.cuh"

/* A thread's two nodes, as they are in shared memory too. */
struct weak_own {
	struct weak_pair node[2]; /* by colour */
};

/* What the node of a colour becomes. */
template <int RULE>
__device__ __forceinline__ struct weak_pair
weak_next_own(const struct weak_shared<RULE + 1> &s, const struct weak_seat &seat, int colour,
	      const struct weak_own &own, const struct weak_terms &terms)
{
	const int r = seat.row + 1, c = seat.column[colour] + 1,
		  aside = c + (seat.column[colour] & 1 ? 1 : -1);
	const float(*u)[WEAK_SHARED_PITCH] = s.u[0];
	const struct weak_pair beside = own.node[!colour];
	struct weak_pair next = own.node[colour];

	if (RULE == WEAK_POISSON) {
		next.f = weak_poisson_update(next.f, u[r - 1][c], u[r + 1][c], u[r][aside],
					     beside.f, seat.asked[colour], seat.weight[colour]);
		return next;
	}
	const float(*v)[WEAK_SHARED_PITCH] = s.u[RULE];
	const struct weak_pair sum = { (u[r - 1][c] + u[r + 1][c]) + (u[r][aside] + beside.f),
				       (v[r - 1][c] + v[r + 1][c]) + (v[r][aside] + beside.g) };

	return weak_shape_update(next, sum, seat.asked[colour], seat.weight[colour], &terms);
}

template <int RULE>
__device__ __forceinline__ void weak_keep(struct weak_shared<RULE + 1> *s,
					  const struct weak_seat &seat, int colour,
					  struct weak_own *own, struct weak_pair next)
{
	own->node[colour] = next;
	s->u[0][seat.row + 1][seat.column[colour] + 1] = next.f;
	if (RULE == WEAK_SHAPE)
		s->u[RULE][seat.row + 1][seat.column[colour] + 1] = next.g;
}

template <int RULE>
__device__ __forceinline__ void
weak_step_jacobi(struct weak_shared<RULE + 1> *s, const struct weak_seat &seat,
		 const struct weak_terms &terms, struct weak_own *own)
{
	const struct weak_pair red = weak_next_own<RULE>(*s, seat, 0, *own, terms),
			       black = weak_next_own<RULE>(*s, seat, 1, *own, terms);

	weak_meet();
	weak_keep<RULE>(s, seat, 0, own, red);
	weak_keep<RULE>(s, seat, 1, own, black);
	weak_meet();
}

template <int RULE>
__device__ __forceinline__ void
weak_step_red_black(struct weak_shared<RULE + 1> *s, const struct weak_seat &seat,
		    const struct weak_terms &terms, struct weak_own *own)
{
#pragma unroll
	for (int colour = 0; colour < 2; colour++) {
		weak_keep<RULE>(s, seat, colour, own,
				weak_next_own<RULE>(*s, seat, colour, *own, terms));
		weak_meet();
	}
}

#endif
