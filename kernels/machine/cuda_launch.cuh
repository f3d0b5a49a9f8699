/* SPDX-License-Identifier: MIT
 * A kernel's launcher for struct cuda_kernel: the arguments as they are, on the blocks that the
 * geometry says; nothing where it has none. A table of kernels reads
 *
 *     { "jacobi_f32", cuda_launch<jacobi_sweep, jacobi_f32, stencil_points_geometry> },
 */
#ifndef WARPREEL_CUDA_LAUNCH_CUH
#define WARPREEL_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>

#include "machine.h"

template <typename Args, void (*kernel)(const Args),
	  void (*geometry)(const void *args, struct launch_geometry *geometry)>
static int cuda_launch(const void *given, void *stream)
{
	Args args = *(const Args *)given;
	void *arguments[] = { &args };
	struct launch_geometry g;

	geometry(given, &g);
	if (!g.grid[0] || !g.grid[1])
		return cudaSuccess;
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

#endif
