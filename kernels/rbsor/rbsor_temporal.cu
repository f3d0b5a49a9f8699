/* SPDX-License-Identifier: MIT
 * The fused and the temporally blocked red-black SOR kernels and their table. The body is
 * rbsor_temporal.cuh, what they are made of rbsor_passes.def, the launch geometry
 * rbsor_pass_geometry.c.
 */
#include "rbsor_pass_launch.cuh"
#include "rbsor_temporal.cuh"

/* One iteration: PASS_TILES warps below each other, ROWS rows each. */
template <typename T, int LANES, int ROWS>
__device__ __forceinline__ void rbsor_run_once(const struct rbsor_pass &pass, int rows)
{
	rbsor_tile<T, LANES, 1, ROWS + 1> tile;
	const int begin = pass.row_begin + (int)(blockIdx.z * gridDim.y + blockIdx.y) * rows;

	tile.pass = &pass;
	tile.template run_once<false>((int)blockIdx.x, begin - ((pass.first + begin) & 1));
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
