/* SPDX-License-Identifier: MIT
 * A block of the image solvers by 160 threads of four nodes each, a square of two by two: of a
 * node's four neighbours two are read from shared memory. A colour has an array of its own, in
 * which neighbouring threads are at neighbouring words.
 *
 * Of the square (0 1 / 2 3) nodes 0 and 3 are red. Rows and columns count those around the block.
 */
#ifndef WARPREEL_WEAK_SQUARE_CUH
#define WARPREEL_WEAK_SQUARE_CUH

#include "weak_quiet.cuh"

enum { WEAK_COLOUR_PITCH = 24 }; /* two rows are 16 banks apart */

template <int FIELDS> struct weak_coloured {
	float u[FIELDS][2][WEAK_ROWS + 2][WEAK_COLOUR_PITCH];
	int block;
};
enum { WEAK_COLOURED_FIELD = 2 * (WEAK_ROWS + 2) * WEAK_COLOUR_PITCH };

/* A node's place among the words of a field. */
__device__ __forceinline__ int weak_word_at(int row, int column)
{
	return (((row + column) & 1) * (WEAK_ROWS + 2) + row) * WEAK_COLOUR_PITCH + column / 2;
}

struct weak_square {
	int row, word; /* of node 0 */
	struct weak_pair node[4];
	float asked[4], weight[4];
};

__device__ __forceinline__ int weak_colour_of(int k)
{
	return k == 1 || k == 2;
}

/* All computing threads of the block, and no others. */
__device__ __forceinline__ void weak_meet_squares(void)
{
	__barrier_sync_count(1, WEAK_SQUARES);
}

template <int RULE>
__device__ __forceinline__ void weak_square_put(struct weak_coloured<RULE + 1> *s,
						const struct weak_square &q, int k)
{
	const int colour = weak_colour_of(k), row = q.row + k / 2, word = q.word + k % 2;

	s->u[0][colour][row][word] = q.node[k].f;
	if (RULE == WEAK_SHAPE)
		s->u[RULE][colour][row][word] = q.node[k].g;
}

/* What node k becomes. */
template <int RULE>
__device__ __forceinline__ struct weak_pair
weak_square_next(const struct weak_coloured<RULE + 1> &s, const struct weak_square &q, int k,
		 const struct weak_terms &terms)
{
	const int other = !weak_colour_of(k), row = q.row + k / 2,
		  outside = k < 2 ? q.row - 1 : q.row + 2, word = q.word + k % 2;
	const struct weak_pair own = q.node[k], below = q.node[k ^ 2], beside = q.node[k ^ 1];
	const float(*u)[WEAK_COLOUR_PITCH] = s.u[0][other],
	      (*v)[WEAK_COLOUR_PITCH] = s.u[RULE][other];
	struct weak_pair next = own;

	if (RULE == WEAK_POISSON) {
		next.f = weak_poisson_update(own.f, u[outside][word], below.f, u[row][word],
					     beside.f, q.asked[k], q.weight[k]);
		return next;
	}
	const struct weak_pair sum = { (u[outside][word] + below.f) + (u[row][word] + beside.f),
				       (v[outside][word] + below.g) + (v[row][word] + beside.g) };

	return weak_shape_update(own, sum, q.asked[k], q.weight[k], &terms);
}

/* The most that a Jacobi step would change of a thread's nodes. */
template <int RULE>
__device__ __forceinline__ float weak_square_change(const struct weak_coloured<RULE + 1> &s,
						    const struct weak_square &q,
						    const struct weak_terms &terms)
{
	float most = 0;

#pragma unroll
	for (int k = 0; k < 4; k++) {
		const struct weak_pair next = weak_square_next<RULE>(s, q, k, terms);

		most = weak_larger(most, fabsf(next.f - q.node[k].f));
		if (RULE == WEAK_SHAPE)
			most = weak_larger(most, fabsf(next.g - q.node[k].g));
	}
	return most;
}

/* What threads are told, and tell, in a step: while the second half goes on nobody writes `word`,
 * which the first thread wrote before. */
struct weak_news {
	uint32_t *word, *loud;
	uint32_t look, called; /* look: its number where this step is one, else 0 */
};

/* One step. NEWS: with what is to be told. */
template <int RULE, bool JACOBI, bool NEWS>
__device__ __forceinline__ void weak_square_step(struct weak_coloured<RULE + 1> *s,
						 struct weak_square *q, const struct weak_launch &l,
						 struct weak_news *news)
{
	struct weak_pair next[4];
	bool over = false;

	if (JACOBI) {
#pragma unroll
		for (int k = 0; k < 4; k++)
			next[k] = weak_square_next<RULE>(*s, *q, k, l.terms);
		weak_meet_squares();
	}
#pragma unroll
	for (int half = 0; half < 2; half++) {
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (weak_colour_of(k) == half) {
				if (!JACOBI)
					next[k] = weak_square_next<RULE>(*s, *q, k, l.terms);
				if (NEWS)
					over |= weak_over<RULE>(next[k], q->node[k], l.tolerance);
				q->node[k] = next[k];
				weak_square_put<RULE>(s, *q, k);
			}
		if (NEWS && half == 1) {
			news->called = weak_see(news->word);
			if (news->look && over)
				atomicMax(news->loud, news->look);
		}
		if (!JACOBI || half == 1)
			weak_meet_squares();
	}
}

#endif
