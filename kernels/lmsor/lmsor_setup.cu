/* SPDX-License-Identifier: MIT
 * The stored terms, computed where they will lie: once before the iterations.
 */
#include <cuda_runtime.h>
#include "lmsor_geometry.h"
#include "lmsor_terms.h"

extern "C" __global__ void __launch_bounds__(LMSOR_TERMS_X)
	lmsor_terms(const struct lmsor_setup setup)
{
	const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = (int)blockIdx.y,
		  global = setup.first_row + row;
	const int arrays = lmsor_arrays((enum lmsor_stored)setup.stored);
	const int64_t half = setup.pitch / 2, plane = setup.strip_rows * half;
	const struct lmsor_pair y = lmsor_pair_of(lmsor_drift(&setup.problem, global));

	if (k >= half)
		return;
	for (int colour = 0; colour < 2; colour++) {
		double *term = setup.terms + colour * arrays * plane + row * half + k;
		const double drift = lmsor_drift(&setup.problem, 2 * k + ((global + colour) & 1));
		const struct lmsor_pair x = lmsor_pair_of(drift);

		term[0] = lmsor_relaxation(&setup.problem, colour, x.root, y.root,
					   x.positive && y.positive);
		if (arrays > 1) {
			term[plane] = setup.stored == STORED_TWO ? drift : x.before;
			term[2 * plane] = setup.stored == STORED_TWO
						  ? lmsor_drift(&setup.problem, global)
						  : x.after;
		}
		if (arrays > 3) {
			term[3 * plane] = y.after;
			term[4 * plane] = y.before;
		}
	}
}

static int launch_terms(const void *args, void *stream)
{
	struct lmsor_setup setup = *(const struct lmsor_setup *)args;
	struct launch_geometry g;
	void *arguments[] = { &setup };

	lmsor_terms_geometry(&setup, &g);
	return cudaLaunchKernel(lmsor_terms, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, 0,
				(cudaStream_t)stream);
}

extern "C" const struct cuda_kernel lmsor_setup_kernels[] = {
	{ "lmsor_terms", launch_terms },
	{ 0, 0 },
};
