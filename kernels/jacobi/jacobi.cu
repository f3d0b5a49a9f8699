/* SPDX-License-Identifier: MIT
 * The kernel. One symbol a precision, named as the launch is, so that a trace and a plan call it
 * the same. A kernel with other blocks than stencil_points.h has brings its own geometry, in a file
 * jacobi_geometry.c (kernels/rbsor/rbsor_geometry.c).
 */
#include "kernels/kit/stencil_points.cuh"
#include "kernels/machine/cuda_launch.cuh"
#include "jacobi.h"

template <typename T> static __device__ __forceinline__ void jacobi_point(const jacobi_sweep &s)
{
	int row, column;
	if (!stencil_point(s.at, &row, &column))
		return;
	const T *u = (const T *)s.at.u + row * s.at.pitch + column;
	((T *)s.at.v)[row * s.at.pitch + column] =
		T(0.25) * ((u[-1] + u[1]) + (u[-s.at.pitch] + u[s.at.pitch]));
}

/* The first line lets `warpreel solve --blocks` see where and when blocks run; it is nothing in the
 * library that is measured. */
extern "C" __global__ void __launch_bounds__(STENCIL_BLOCK_THREADS)
	jacobi_f32(const jacobi_sweep sweep)
{
	block_note<block_note_id("jacobi_f32")> note;
	jacobi_point<float>(sweep);
}

extern "C" __global__ void __launch_bounds__(STENCIL_BLOCK_THREADS)
	jacobi_f64(const jacobi_sweep sweep)
{
	block_note<block_note_id("jacobi_f64")> note;
	jacobi_point<double>(sweep);
}

extern "C" const struct cuda_kernel jacobi_kernels[] = {
	{ "jacobi_f32", cuda_launch<jacobi_sweep, jacobi_f32, stencil_points_geometry> },
	{ "jacobi_f64", cuda_launch<jacobi_sweep, jacobi_f64, stencil_points_geometry> },
	{ 0, 0 },
};
