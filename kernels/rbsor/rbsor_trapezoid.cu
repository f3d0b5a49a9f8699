/* SPDX-License-Identifier: MIT
 * The temporally blocked kernels that spare updates which nobody needs, and their table
 * (rbsor_trapezoids.def).
 */
#include "rbsor_pass_launch.cuh"
#include "rbsor_temporal.cuh"

#define PASS(name, depth, lanes_f32, rows_f32, blocks_f32, lanes_f64, rows_f64, blocks_f64)        \
	KERNEL(rbsor_##name##_f32, float, lanes_f32, rows_f32, blocks_f32,                         \
	       rbsor_run_pass<float, lanes_f32, depth, rows_f32, true>)                            \
	KERNEL(rbsor_##name##_f64, double, lanes_f64, rows_f64, blocks_f64,                        \
	       rbsor_run_pass<double, lanes_f64, depth, rows_f64, true>)
#include "rbsor_trapezoids.def"
#undef PASS

#define PASS(name, ...)                                                                            \
	LAUNCH(rbsor_##name##_f32, rbsor_trapezoid_chunk_f32)                                      \
	LAUNCH(rbsor_##name##_f64, rbsor_trapezoid_chunk_f64)
#include "rbsor_trapezoids.def"
#undef PASS

extern "C" const struct cuda_kernel rbsor_trapezoid_kernels[] = {
#define PASS(name, ...)                                                                            \
	{ "rbsor_" #name "_f32", launch_rbsor_##name##_f32 },                                      \
		{ "rbsor_" #name "_f64", launch_rbsor_##name##_f64 },
#include "rbsor_trapezoids.def"
#undef PASS
	{ 0, 0 },
};
