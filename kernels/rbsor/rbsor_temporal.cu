/* SPDX-License-Identifier: MIT
 * The fused and the temporally blocked red-black SOR kernels and their table. The body is
 * rbsor_temporal.cuh, what they are made of rbsor_passes.def, the launch geometry
 * rbsor_pass_geometry.c.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "rbsor_geometry.h"
#include "rbsor_temporal.cuh"

template <typename T, int LANES, int DEPTH, int ROWS>
__device__ __forceinline__ void rbsor_run_pass(const struct rbsor_pass &pass, int rows)
{
	rbsor_tile<T, LANES, DEPTH, ROWS> tile;
	const int begin = pass.row_begin + (int)(blockIdx.z * gridDim.y + blockIdx.y) * rows;

	if (begin >= pass.row_end) /* the whole block: a grid folded into z may end late */
		return;
	tile.pass = &pass;
	tile.run((int)blockIdx.x * PASS_TILES, begin,
		 begin + rows < pass.row_end ? begin + rows : pass.row_end);
}

/* One iteration: PASS_TILES warps below each other, ROWS rows each. */
template <typename T, int LANES, int ROWS>
__device__ __forceinline__ void rbsor_run_once(const struct rbsor_pass &pass, int rows)
{
	rbsor_tile<T, LANES, 1, ROWS + 1> tile;
	const int begin = pass.row_begin + (int)(blockIdx.z * gridDim.y + blockIdx.y) * rows;

	tile.pass = &pass;
	tile.template run_once<false>((int)blockIdx.x, begin - ((pass.first + begin) & 1));
}

#define KERNEL(name, T, lanes, rows, blocks, ...)                                                  \
	static_assert(lanes % rbsor_piece<T>::LANES == 0 && rows % 2 == 0, "as the body has it");  \
	extern "C" __global__ void __launch_bounds__(32 * PASS_TILES, blocks)                      \
		name(const struct rbsor_pass pass, int chunk_rows)                                 \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		__VA_ARGS__(pass, chunk_rows);                                                     \
	}
#define PASS(name, depth, lanes_f32, rows_f32, blocks_f32, lanes_f64, rows_f64, blocks_f64)        \
	KERNEL(rbsor_##name##_f32, float, lanes_f32, rows_f32, blocks_f32,                         \
	       rbsor_run_pass<float, lanes_f32, depth, rows_f32>)                                  \
	KERNEL(rbsor_##name##_f64, double, lanes_f64, rows_f64, blocks_f64,                        \
	       rbsor_run_pass<double, lanes_f64, depth, rows_f64>)
#define ONCE(name, depth, lanes_f32, rows_f32, blocks_f32, lanes_f64, rows_f64, blocks_f64)        \
	KERNEL(rbsor_##name##_f32, float, lanes_f32, rows_f32, blocks_f32,                         \
	       rbsor_run_once<float, lanes_f32, rows_f32>)                                         \
	KERNEL(rbsor_##name##_f64, double, lanes_f64, rows_f64, blocks_f64,                        \
	       rbsor_run_once<double, lanes_f64, rows_f64>)
#include "rbsor_passes.def"
#undef PASS

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
#define PASS(name, ...)                                                                            \
	LAUNCH(rbsor_##name##_f32, rbsor_pass_chunk_f32)                                           \
	LAUNCH(rbsor_##name##_f64, rbsor_pass_chunk_f64)
#include "rbsor_passes.def"
#undef PASS

extern "C" const struct cuda_kernel rbsor_temporal_kernels[] = {
#define PASS(name, ...)                                                                            \
	{ "rbsor_" #name "_f32", launch_rbsor_##name##_f32 },                                      \
		{ "rbsor_" #name "_f64", launch_rbsor_##name##_f64 },
#include "rbsor_passes.def"
#undef PASS
	{ 0, 0 },
};
