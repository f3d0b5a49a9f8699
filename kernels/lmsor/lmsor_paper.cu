/* SPDX-License-Identifier: MIT
 * Kernels #1, #2, #3 of Cotronis et al., section 3: colours split, a point a thread, and more or
 * less of the terms computed anew. With _norm each block also reduces the |u| it left, as the
 * paper's did in every iteration.
 */
#include <cuda_runtime.h>
#include "lmsor_geometry.h"
#include "lmsor_norm.cuh"

template <enum lmsor_stored STORED, bool NORM>
__device__ __forceinline__ void lmsor_paper(const struct lmsor_sweep &sweep)
{
	const struct lmsor_problem &problem = sweep.problem;
	const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int row = sweep.row_begin + (int)(blockIdx.y * blockDim.y + threadIdx.y),
		  global = sweep.first_row + row;
	const int p = (global + sweep.colour) & 1, column = 2 * k + p;
	const int64_t pitch = sweep.pitch, half = pitch / 2, plane = sweep.strip_rows * half;
	uint64_t most = 0;

	if (NORM && !lmsor_goes_on(sweep))
		return;
	if (row < sweep.row_end && column > 0 && column < sweep.columns - 1) {
		double *own = sweep.grid + row * pitch + sweep.colour * half + k;
		const double *other = sweep.grid + row * pitch + (1 - sweep.colour) * half + k;
		const double *term =
			sweep.terms + sweep.colour * lmsor_arrays(STORED) * plane + row * half + k;
		double omega, l, r, t, b;

		if (STORED == STORED_ALL) {
			omega = term[0];
			l = term[plane];
			r = term[2 * plane];
			t = term[3 * plane];
			b = term[4 * plane];
		} else if (STORED == STORED_TWO) {
			omega = term[0];
			l = lmsor_before(term[plane]);
			r = lmsor_after(term[plane]);
			t = lmsor_after(term[2 * plane]);
			b = lmsor_before(term[2 * plane]);
		} else {
			const struct lmsor_pair x = lmsor_pair_of(lmsor_drift(&problem, column)),
						y = lmsor_pair_of(lmsor_drift(&problem, global));

			omega = lmsor_relaxation(&problem, sweep.colour, x.root, y.root,
						 x.positive && y.positive);
			l = x.before;
			r = x.after;
			t = y.after;
			b = y.before;
		}
		const double u = lmsor_update(*own, omega, l, r, t, b, other[p - 1], other[p],
					      other[pitch], other[-pitch]);

		*own = u;
		most = lmsor_magnitude(u);
	}
	if (NORM)
		lmsor_raise(sweep.norm, most);
}

#define LMSOR_PAPER(name, stored, norm)                                                            \
	extern "C" __global__ void __launch_bounds__(LMSOR_PAPER_X *LMSOR_PAPER_Y)                 \
		name(const struct lmsor_sweep sweep)                                               \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		lmsor_paper<stored, norm>(sweep);                                                  \
	}                                                                                          \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		return launch(name, args, stream);                                                 \
	}

static int launch(void (*kernel)(const struct lmsor_sweep), const void *args, void *stream)
{
	struct lmsor_sweep sweep = *(const struct lmsor_sweep *)args;
	struct launch_geometry g;
	void *arguments[] = { &sweep };

	if (sweep.row_end <= sweep.row_begin || sweep.columns < 3)
		return cudaSuccess;
	lmsor_paper_geometry(&sweep, &g);
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, 0,
				(cudaStream_t)stream);
}

LMSOR_PAPER(lmsor_1, STORED_ALL, false)
LMSOR_PAPER(lmsor_1_norm, STORED_ALL, true)
LMSOR_PAPER(lmsor_2, STORED_TWO, false)
LMSOR_PAPER(lmsor_2_norm, STORED_TWO, true)
LMSOR_PAPER(lmsor_3, STORED_NONE, false)
LMSOR_PAPER(lmsor_3_norm, STORED_NONE, true)

extern "C" const struct cuda_kernel lmsor_paper_kernels[] = {
	{ "lmsor_1", launch_lmsor_1 },
	{ "lmsor_1_norm", launch_lmsor_1_norm },
	{ "lmsor_2", launch_lmsor_2 },
	{ "lmsor_2_norm", launch_lmsor_2_norm },
	{ "lmsor_3", launch_lmsor_3 },
	{ "lmsor_3_norm", launch_lmsor_3_norm },
	{ 0, 0 },
};
