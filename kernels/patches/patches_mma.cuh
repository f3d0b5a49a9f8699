/* SPDX-License-Identifier: MIT
 * Products of 8x8 matrices of doubles by a warp, on FP64 tensor cores (mma.m8n8k4).
 *
 * A warp holds an 8x8 matrix as a pair a lane: lane l has row l / 4 and columns 2 (l % 4) and one
 * more. This is the layout of the instruction's accumulator; its operands have a value a lane, of
 * the four columns that it takes at a time. The columns may be taken in any order, so long as both
 * operands keep to it: first the even ones, then the odd. So a matrix need not change lanes to be
 * an operand, and since the right operand wants it transposed, products turn it over.
 */
#ifndef WARPREEL_PATCHES_MMA_CUH
#define WARPREEL_PATCHES_MMA_CUH

#include <cuda_runtime.h>

/* d += a b: a holds row l / 4 and column l % 4 of a 8x4 matrix, b row l % 4 and column l / 4 of a
 * 4x8 one, d as above. */
__device__ __forceinline__ void patches_mma(double (&d)[2], double a, double b)
{
#ifdef __CUDACC__
	asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
	    : "+d"(d[0]), "+d"(d[1])
	    : "d"(a), "d"(b));
#else /* emulated */
	const int lane = (int)threadIdx.x % 32;

	for (int k = 0; k < 4; k++) {
		const double left = __shfl_sync(~0u, a, lane / 4 * 4 + k);

		for (int n = 0; n < 2; n++) {
			const int column = lane % 4 * 2 + n;
			const double right = __shfl_sync(~0u, b, column * 4 + k);

			d[n] += left * right;
		}
	}
#endif
}

/* x = s x^T, of the symmetric matrix whose pair is s. */
__device__ __forceinline__ void patches_turn(double (&x)[2], const double (&s)[2])
{
	double y[2] = { 0, 0 };

	patches_mma(y, s[0], x[0]);
	patches_mma(y, s[1], x[1]);
	x[0] = y[0];
	x[1] = y[1];
}

#endif
