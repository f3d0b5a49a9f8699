/* SPDX-License-Identifier: MIT
 * The body of the tuned kernels: a thread owns one vector of two points of a half-row and walks
 * down ROWS rows, with all its loads issued before the first use (see kernels/rbsor/rbsor_tuned.cuh
 * for the layout and its neighbours).
 *
 * Beyond that: which of its neighbours are beside a point depends on the parity of the row; it is a
 * constant here, so that nothing is chosen at run time. What depends on the column alone (l, r, a
 * root) is computed once for all rows of a thread; what depends on the row alone once a block, by
 * few threads for all.
 */
#ifndef WARPREEL_LMSOR_TUNED_CUH
#define WARPREEL_LMSOR_TUNED_CUH

#include "lmsor_norm.cuh"

enum { LMSOR_ROWS_MOST = 4, LMSOR_BLOCK_ROWS = LMSOR_ROWS_MOST * 4 };

struct alignas(16) lmsor_two {
	double lane[2];
};

struct lmsor_thread { /* what a thread keeps over all its rows */
	const struct lmsor_sweep *sweep;
	const struct lmsor_pair *vertical; /* shared: of the thread's rows */
	int first;			   /* index of the vector's first point in its half-row */
	bool active; /* false: a lane beyond the last column, there for the shuffles only */
};

/* The scalar beside `centre`; only the warp's outermost lane has loaded it. */
template <int P>
__device__ __forceinline__ double lmsor_beside(const struct lmsor_two &centre, double loaded)
{
	const int lane = (int)(threadIdx.x & 31);
	const double beside = __shfl_sync(0xffffffffu, P ? centre.lane[0] : centre.lane[1],
					  P ? lane + 1 : lane - 1);

	return lane == (P ? 31 : 0) ? loaded : beside;
}

/* One row whose first own column has parity P; returns the greatest |u| it left. */
template <enum lmsor_stored STORED, int P>
__device__ __forceinline__ uint64_t
lmsor_tuned_row(const struct lmsor_thread &thread, const struct lmsor_pair &vertical,
		const struct lmsor_pair column[4], const struct lmsor_two &north,
		const struct lmsor_two &centre, const struct lmsor_two &south, double beside,
		const struct lmsor_two *term, struct lmsor_two *own)
{
	const struct lmsor_sweep *sweep = thread.sweep;
	const int last =
		(sweep->columns - 2 - P) >> 1; /* the last interior point of this half-row */
	const double around[3] = { P ? centre.lane[0] : beside, P ? centre.lane[1] : centre.lane[0],
				   P ? beside : centre.lane[1] };
	uint64_t most = 0;

#pragma unroll
	for (int m = 0; m < 2; m++) {
		const struct lmsor_pair &x = column[2 * m + P];
		const int k = thread.first + m;
		double omega, l, r, t, b;

		if (STORED == STORED_ALL) {
			omega = term[0].lane[m];
			l = term[1].lane[m];
			r = term[2].lane[m];
			t = term[3].lane[m];
			b = term[4].lane[m];
		} else if (STORED == STORED_TWO) {
			omega = term[0].lane[m];
			l = lmsor_before(term[1].lane[m]);
			r = lmsor_after(term[1].lane[m]);
			t = lmsor_after(term[2].lane[m]);
			b = lmsor_before(term[2].lane[m]);
		} else {
			l = x.before;
			r = x.after;
			t = vertical.after;
			b = vertical.before;
			omega = STORED == STORED_OMEGA
					? term[0].lane[m]
					: lmsor_relaxation(&sweep->problem, sweep->colour, x.root,
							   vertical.root,
							   x.positive && vertical.positive);
		}
		const double u = lmsor_update(own->lane[m], omega, l, r, t, b, around[m],
					      around[m + 1], south.lane[m], north.lane[m]);

		if (k <= last && k + P > 0) { /* column 0 is point 0 where P = 0 */
			own->lane[m] = u;
			most = lmsor_magnitude(u) > most ? lmsor_magnitude(u) : most;
		}
	}
	return thread.active ? most : 0;
}

/* Updates rows [row, row + ROWS), the first of parity P. A whole warp must come here with the same
 * row. */
template <enum lmsor_stored STORED, int ROWS, int P>
__device__ __forceinline__ uint64_t lmsor_tuned_rows(const struct lmsor_thread &thread,
						     const struct lmsor_pair column[4], int row,
						     int place)
{
	constexpr int ARRAYS = lmsor_arrays(STORED), SPACE = ARRAYS ? ARRAYS : 1;
	const struct lmsor_sweep *sweep = thread.sweep;
	const int64_t pitch = sweep->pitch, half = pitch / 2, plane = sweep->strip_rows * half;
	double *own = sweep->grid + row * pitch + sweep->colour * half + thread.first;
	const double *other = sweep->grid + row * pitch + (1 - sweep->colour) * half + thread.first;
	const double *terms =
		sweep->terms + sweep->colour * ARRAYS * plane + row * half + thread.first;
	struct lmsor_two around[ROWS + 2], centre[ROWS], term[ROWS][SPACE];
	double edge[ROWS];
	uint64_t most = 0;

#pragma unroll
	for (int r = 0; r < ROWS + 2; r++)
		around[r] = *(const struct lmsor_two *)(other + (r - 1) * pitch);
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		centre[r] = *(const struct lmsor_two *)(own + r * pitch);
#pragma unroll
	for (int r = 0; r < ROWS; r++)
#pragma unroll
		for (int a = 0; a < ARRAYS; a++)
			term[r][a] = *(const struct lmsor_two *)(terms + a * plane + r * half);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const bool right = P ^ (r & 1);
		const bool there = right ? thread.first + 2 < (int)half
					 : thread.first > 0; /* else no point needs it */

		edge[r] = 0;
		if ((int)(threadIdx.x & 31) == (right ? 31 : 0) && there)
			edge[r] = other[r * pitch + (right ? 2 : -1)];
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const double beside = (P ^ (r & 1)) ? lmsor_beside<1>(around[r + 1], edge[r])
						    : lmsor_beside<0>(around[r + 1], edge[r]);
		const struct lmsor_pair &vertical = thread.vertical[place + r];
		const uint64_t found =
			(P ^ (r & 1))
				? lmsor_tuned_row<STORED, 1>(thread, vertical, column, around[r],
							     around[r + 1], around[r + 2], beside,
							     term[r], &centre[r])
				: lmsor_tuned_row<STORED, 0>(thread, vertical, column, around[r],
							     around[r + 1], around[r + 2], beside,
							     term[r], &centre[r]);

		most = found > most ? found : most;
		if (thread.active)
			*(struct lmsor_two *)(own + r * pitch) = centre[r];
	}
	return most;
}

template <enum lmsor_stored STORED, int ROWS>
__device__ __forceinline__ uint64_t lmsor_tuned_either(const struct lmsor_thread &thread,
						       const struct lmsor_pair column[4], int row,
						       int place)
{
	if ((thread.sweep->first_row + row + thread.sweep->colour) & 1)
		return lmsor_tuned_rows<STORED, ROWS, 1>(thread, column, row, place);
	return lmsor_tuned_rows<STORED, ROWS, 0>(thread, column, row, place);
}

/* One thread's share: ROWS rows at once, or what is left of them at the lower end one by one. */
template <enum lmsor_stored STORED, int ROWS, bool NORM>
__device__ __forceinline__ void lmsor_tuned(const struct lmsor_sweep &sweep)
{
	__shared__ struct lmsor_pair vertical[LMSOR_BLOCK_ROWS];
	const int vectors = lmsor_vectors(sweep.columns),
		  vector = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int index = (int)(threadIdx.y * blockDim.x + threadIdx.x),
		  rows = (int)blockDim.y * ROWS;
	/* The black sweep goes up where the red one went down: what the L2 cache holds of the last
	 * sweep is asked for first. */
	const int block = sweep.colour ? (int)gridDim.y - 1 - (int)blockIdx.y : (int)blockIdx.y;
	const int begin = sweep.row_begin + block * rows, place = (int)threadIdx.y * ROWS;
	const bool computes = STORED == STORED_NONE || STORED == STORED_OMEGA;
	const struct lmsor_thread thread = { &sweep, vertical,
					     2 * (vector < vectors ? vector : vectors - 1),
					     vector < vectors };
	struct lmsor_pair column[4];
	uint64_t most = 0;
	int row = begin + place;

	if (NORM && !lmsor_goes_on(sweep))
		return;
	if (computes) {
		if (index < rows)
			vertical[index] = lmsor_pair_of(
				lmsor_drift(&sweep.problem, sweep.first_row + begin + index));
#pragma unroll
		for (int c = 0; c < 4; c++)
			column[c] =
				lmsor_pair_of(lmsor_drift(&sweep.problem, 2 * thread.first + c));
		__syncthreads();
	}
	if (row + ROWS <= sweep.row_end) {
		most = lmsor_tuned_either<STORED, ROWS>(thread, column, row, place);
	} else {
		for (; row < sweep.row_end; row++) {
			const uint64_t found =
				lmsor_tuned_either<STORED, 1>(thread, column, row, row - begin);

			most = found > most ? found : most;
		}
	}
	if (NORM)
		lmsor_raise(sweep.norm, most);
}

#endif
