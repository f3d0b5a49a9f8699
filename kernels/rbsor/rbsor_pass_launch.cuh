/* SPDX-License-Identifier: MIT
 * What the CUDA files of passes share: a block's part of one, kernels, and what launches them.
 */
#ifndef WARPREEL_RBSOR_PASS_LAUNCH_CUH
#define WARPREEL_RBSOR_PASS_LAUNCH_CUH

#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "rbsor_geometry.h"

/* rbsor_temporal.cuh */
template <typename T, int LANES, int DEPTH, int ROWS, bool SPARING> struct rbsor_tile;

template <typename T, int LANES, int DEPTH, int ROWS, bool SPARING = false>
__device__ __forceinline__ void rbsor_run_pass(const struct rbsor_pass &pass, int rows)
{
	rbsor_tile<T, LANES, DEPTH, ROWS, SPARING> tile;
	const int begin = pass.row_begin + (int)(blockIdx.z * gridDim.y + blockIdx.y) * rows;

	if (begin >= pass.row_end) /* the whole block: a grid folded into z may end late */
		return;
	tile.pass = &pass;
	tile.run((int)blockIdx.x * (SPARING ? (int)blockDim.x / 32 : PASS_TILES), begin,
		 begin + rows < pass.row_end ? begin + rows : pass.row_end);
}

#define KERNEL(name, T, lanes, rows, blocks, ...)                                                  \
	static_assert(lanes % rbsor_piece<T>::LANES == 0 && rows % 2 == 0, "as the body has it");  \
	extern "C" __global__ void __launch_bounds__(32 * PASS_TILES, blocks)                      \
		name(const struct rbsor_pass pass, int chunk_rows)                                 \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		__VA_ARGS__(pass, chunk_rows);                                                     \
	}
static int launch_pass(void (*kernel)(const struct rbsor_pass, int),
		       const struct launch_geometry &g, int chunk_rows, const void *args,
		       void *stream)
{
	struct rbsor_pass pass = *(const struct rbsor_pass *)args;
	void *arguments[] = { &pass, &chunk_rows };

	if (!g.grid[0])
		return cudaSuccess;
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

#define LAUNCH(name, geometry)                                                                     \
	static int launch_##name(const void *args, void *stream)                                   \
	{                                                                                          \
		struct launch_geometry g;                                                          \
		const int rows = geometry(args, &g);                                               \
                                                                                                   \
		return launch_pass(name, g, rows, args, stream);                                   \
	}

#endif
