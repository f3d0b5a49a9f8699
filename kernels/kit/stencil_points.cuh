/* SPDX-License-Identifier: MIT
 * Which point of stencil_points.h is a thread's.
 */
#ifndef WARPREEL_STENCIL_POINTS_CUH
#define WARPREEL_STENCIL_POINTS_CUH

#include <cuda_runtime.h>

#include "stencil_points.h"

/* The point of this thread; false: it has none. */
static __device__ __forceinline__ bool stencil_point(const struct stencil_points &at, int *row,
						     int *column)
{
	*column = at.column_begin + blockIdx.x * blockDim.x + threadIdx.x;
	/* Rows of blocks beyond what y takes go on in z (launch_shape.h). */
	*row = at.row_begin + (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
	return *row < at.row_end && *column < at.column_end;
}

#endif
