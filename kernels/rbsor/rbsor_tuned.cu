/* SPDX-License-Identifier: MIT
 * The tuned red-black SOR kernels: launch geometry and the table. The body is rbsor_tuned.cuh.
 *
 * One kernel symbol a precision, named as the launch is, so that a trace and a plan call it the same.
 */
#include <cuda_runtime.h>
#include "../machine.h"
#include "rbsor_tuned.cuh"

/* 8 and 6 blocks an SM leave 64 and 80 registers a thread: room for four rows in flight without spilling. */
enum { BLOCK_THREADS = 128, BLOCKS_PER_SM_F32 = 8, BLOCKS_PER_SM_F64 = 6 };
static const unsigned GRID_Y_MAX = 65535; /* the hardware's; what is over folds into z */

template <typename T> __device__ __forceinline__ void rbsor_tuned(const struct rbsor_sweep &sweep, int rows_a_thread)
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

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM_F32)
rbsor_tuned_f32(const struct rbsor_sweep sweep, int rows_a_thread)
{
	rbsor_tuned<float>(sweep, rows_a_thread);
}

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM_F64)
rbsor_tuned_f64(const struct rbsor_sweep sweep, int rows_a_thread)
{
	rbsor_tuned<double>(sweep, rows_a_thread);
}

/*
 * Few vectors: one row a thread, so that all SMs have work. Many: several rows a
 * thread, so that the rows of the other colour are not fetched three times. The limits are vectors x rows of the sweep, in
 * multiples of what a GPU of 132 SMs holds at once.
 */
static const struct shape {
	int64_t vectors_from;
	int rows_a_thread;
	unsigned block_threads;
} shapes[] = { { 800000, 4, 128 }, { 270000, 2, 128 }, { 0, 1, 128 } };

/* The widest row of a block, from `width` down, that leaves at most an eighth of the lanes idle. */
static unsigned block_width(int vectors, unsigned width)
{
	while (width > 32 && ((unsigned)vectors + width - 1) / width * width - (unsigned)vectors > (unsigned)vectors / 8)
		width /= 2;
	return width;
}

template <typename T>
static int launch(void (*kernel)(const struct rbsor_sweep, int), const void *args, void *stream)
{
	struct rbsor_sweep sweep = *(const struct rbsor_sweep *)args;
	const int rows = sweep.row_end - sweep.row_begin, vectors = rbsor_vectors<T>(sweep.columns);
	const struct shape *shape = shapes;

	if (rows <= 0 || sweep.columns < 3)
		return cudaSuccess;
	while ((int64_t)vectors * rows < shape->vectors_from)
		shape++;
	int rows_a_thread = shape->rows_a_thread;
	const unsigned width = block_width(vectors, shape->block_threads), height = shape->block_threads / width;
	const unsigned rows_a_block = height * (unsigned)rows_a_thread;
	const unsigned blocks = ((unsigned)rows + rows_a_block - 1) / rows_a_block;
	const unsigned blocks_y = blocks < GRID_Y_MAX ? blocks : GRID_Y_MAX;
	const dim3 grid(((unsigned)vectors + width - 1) / width, blocks_y, (blocks + blocks_y - 1) / blocks_y);
	void *arguments[] = { &sweep, &rows_a_thread };

	return cudaLaunchKernel(kernel, grid, dim3(width, height, 1), arguments, 0, (cudaStream_t)stream);
}

static int launch_f32(const void *args, void *stream)
{
	return launch<float>(rbsor_tuned_f32, args, stream);
}

static int launch_f64(const void *args, void *stream)
{
	return launch<double>(rbsor_tuned_f64, args, stream);
}

extern "C" const struct cuda_kernel rbsor_tuned_kernels[] = {
	{ "rbsor_tuned_f32", launch_f32 },
	{ "rbsor_tuned_f64", launch_f64 },
	{ 0, 0 },
};
