/* SPDX-License-Identifier: MIT
 * Mean of a point and its six neighbours in a cube of doubles. A thread walks 16 planes along z and
 * keeps its column in registers.
 */
#include "micro_launch.cuh"
#include "unseen.h"

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_unseen_a(const struct micro_args args)
{
	const int64_t n = args.n, plane = n * n;
	const int64_t x = (int64_t)blockIdx.x * MICRO_TILE + threadIdx.x,
		      y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
	const int64_t first = (int64_t)blockIdx.z * UNSEEN_A_PLANES;
	const int64_t last = first + UNSEEN_A_PLANES < n ? first + UNSEEN_A_PLANES : n;

	if (x >= n || y >= n)
		return;
	const double *u = (const double *)args.in[0] + first * plane + y * n + x;
	double *out = (double *)args.out + first * plane + y * n + x;
	const bool inner = x > 0 && x < n - 1 && y > 0 && y < n - 1;
	double below = first > 0 ? u[-plane] : 0, here = u[0];

	for (int64_t z = first; z < last; z++, u += plane, out += plane) {
		const double above = z < n - 1 ? u[plane] : 0;
		double value = here;
		if (inner && z > 0 && z < n - 1)
			value = 0.125 *
				(((u[-1] + u[1]) + (u[-n] + u[n])) + fma(2.0, here, below + above));
		*out = value;
		below = here;
		here = above;
	}
}

MICRO_LAUNCHER(micro_unseen_a, unseen_a_geometry)

extern "C" const struct cuda_kernel unseen_a_kernels[] = {
	{ "micro_unseen_a", launch_micro_unseen_a },
	{ 0, 0 },
};
