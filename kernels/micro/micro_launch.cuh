/* SPDX-License-Identifier: MIT
 * What the microkernels' CUDA files share.
 */
#ifndef WARPREEL_MICRO_LAUNCH_CUH
#define WARPREEL_MICRO_LAUNCH_CUH

#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "micro.h"

template <typename Args>
static int micro_launch(void (*kernel)(const Args),
			void (*geometry)(const void *, struct launch_geometry *), const void *given,
			void *stream)
{
	Args args = *(const Args *)given;
	struct launch_geometry g;
	void *arguments[] = { &args };

	geometry(given, &g);
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

/* The launcher of one kernel, for the table. */
#define MICRO_LAUNCHER(kernel, geometry)                                                           \
	static int launch_##kernel(const void *args, void *stream)                                 \
	{                                                                                          \
		return micro_launch(kernel, geometry, args, stream);                               \
	}

/* This thread's element, for kernels of one thread an element. */
static __device__ __forceinline__ int64_t micro_item(void)
{
	return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

#endif
