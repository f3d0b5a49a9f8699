/* SPDX-License-Identifier: MIT
 * The tuned red-black SOR kernels and their table. The body is rbsor_tuned.cuh, the launch geometry
 * rbsor_geometry.c.
 *
 * One kernel symbol a precision, named as the launch is, so that a trace and a plan call it the
 * same.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "rbsor_geometry.h"
#include "rbsor_tuned.cuh"

/* 8 and 6 blocks an SM leave 64 and 80 registers a thread: room for four rows in flight without
 * spilling. */
enum { BLOCKS_PER_SM_F32 = 8, BLOCKS_PER_SM_F64 = 6 };

template <typename T>
__device__ __forceinline__ void rbsor_tuned(const struct rbsor_sweep &sweep, int rows_a_thread)
{
	const rbsor_column<T> column = rbsor_column_of<T>(&sweep);
	const int row = rbsor_first_row(&sweep, rows_a_thread, true);

	if (rows_a_thread == 4)
		rbsor_tuned_thread<T, 4, EDGE_SHUFFLE>(column, row);
	else if (rows_a_thread == 2)
		rbsor_tuned_thread<T, 2, EDGE_SHUFFLE>(column, row);
	else
		rbsor_tuned_thread<T, 1, EDGE_SHUFFLE>(column, row);
}

extern "C" __global__ void __launch_bounds__(TUNED_BLOCK_THREADS, BLOCKS_PER_SM_F32)
	rbsor_tuned_f32(const struct rbsor_sweep sweep, int rows_a_thread)
{
	block_note<block_note_id("rbsor_tuned_f32")> note;
	rbsor_tuned<float>(sweep, rows_a_thread);
}

extern "C" __global__ void __launch_bounds__(TUNED_BLOCK_THREADS, BLOCKS_PER_SM_F64)
	rbsor_tuned_f64(const struct rbsor_sweep sweep, int rows_a_thread)
{
	block_note<block_note_id("rbsor_tuned_f64")> note;
	rbsor_tuned<double>(sweep, rows_a_thread);
}

static int launch(void (*kernel)(const struct rbsor_sweep, int), const struct launch_geometry &g,
		  const void *args, void *stream)
{
	struct rbsor_sweep sweep = *(const struct rbsor_sweep *)args;
	int rows_a_thread = g.path;
	void *arguments[] = { &sweep, &rows_a_thread };

	if (!g.grid[0])
		return cudaSuccess;
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

static int launch_f32(const void *args, void *stream)
{
	struct launch_geometry geometry;

	static_assert(rbsor_vector<float>::LANES == 4 && rbsor_vector<double>::LANES == 2,
		      "as rbsor_geometry.c has it");
	rbsor_tuned_f32_geometry(args, &geometry);
	return launch(rbsor_tuned_f32, geometry, args, stream);
}

static int launch_f64(const void *args, void *stream)
{
	struct launch_geometry geometry;

	rbsor_tuned_f64_geometry(args, &geometry);
	return launch(rbsor_tuned_f64, geometry, args, stream);
}

extern "C" const struct cuda_kernel rbsor_tuned_kernels[] = {
	{ "rbsor_tuned_f32", launch_f32 },
	{ "rbsor_tuned_f64", launch_f64 },
	{ 0, 0 },
};
