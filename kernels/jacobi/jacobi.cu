/* SPDX-License-Identifier: MIT
 * The kernel and its launcher. One symbol a precision, named as the launch is, so that a trace and
 * a plan call it the same.
 */
#include <cuda_runtime.h>
#include "kernels/machine/machine.h"
#include "jacobi.h"

template <typename T> static __device__ __forceinline__ void jacobi_point(const jacobi_sweep &s)
{
	const int column = s.column_begin + blockIdx.x * blockDim.x + threadIdx.x;
	/* Rows of blocks beyond what y takes go on in z (kernels/kit/launch_shape.h). */
	const int row =
		s.row_begin + (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;

	if (row >= s.row_end || column >= s.column_end)
		return;
	const T *u = (const T *)s.u + row * s.pitch + column;
	((T *)s.v)[row * s.pitch + column] =
		T(0.25) * ((u[-1] + u[1]) + (u[-s.pitch] + u[s.pitch]));
}

/* The first line lets `warpreel solve --blocks` see where and when blocks run; it is nothing in the
 * library that is measured. */
extern "C" __global__ void __launch_bounds__(JACOBI_BLOCK_COLUMNS *JACOBI_BLOCK_ROWS)
	jacobi_f32(const struct jacobi_sweep sweep)
{
	block_note<block_note_id("jacobi_f32")> note;
	jacobi_point<float>(sweep);
}

extern "C" __global__ void __launch_bounds__(JACOBI_BLOCK_COLUMNS *JACOBI_BLOCK_ROWS)
	jacobi_f64(const struct jacobi_sweep sweep)
{
	block_note<block_note_id("jacobi_f64")> note;
	jacobi_point<double>(sweep);
}

static int launch(void (*kernel)(const struct jacobi_sweep), const void *args, void *stream)
{
	struct jacobi_sweep sweep = *(const struct jacobi_sweep *)args;
	struct launch_geometry g;
	void *arguments[] = { &sweep };

	jacobi_geometry(args, &g);
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

static int launch_f32(const void *args, void *stream)
{
	return launch(jacobi_f32, args, stream);
}

static int launch_f64(const void *args, void *stream)
{
	return launch(jacobi_f64, args, stream);
}

extern "C" const struct cuda_kernel jacobi_kernels[] = {
	{ "jacobi_f32", launch_f32 },
	{ "jacobi_f64", launch_f64 },
	{ 0, 0 },
};
