/* SPDX-License-Identifier: MIT
 * Sine transforms of up to 8 values in registers. S_mi = sqrt(2 / (n + 1)) sin(pi (m + 1)(i + 1) /
 * (n + 1)); with i replaced by n - 1 - i its sign changes where m is odd, so that sums and
 * differences of mirrored values halve the work.
 */
#ifndef WARPREEL_PATCHES_TRANSFORM_CUH
#define WARPREEL_PATCHES_TRANSFORM_CUH

#include <cuda_runtime.h>

/* sqrt(2 / (N + 1)) sin(pi k / (N + 1)), 0 < k < N + 1, which the compiler folds. */
template <int N> __device__ __forceinline__ double patches_sine_of(int k)
{
	const int near = 2 * k > N + 1 ? N + 1 - k : k;

	if (N == 2)
		return 0.70710678118654752;
	if (N == 4)
		return near == 1 ? 0.37174803446018449 : 0.60150095500754567;
	return near == 1   ? 0.16122984176531684
	       : near == 2 ? 0.30301298511469579
	       : near == 3 ? 0.40824829046386302
			   : 0.46424282688001263;
}

/* x[at .. at + N) in place; N = 2, 4, 8. */
template <int N> __device__ __forceinline__ void patches_sines(double (&x)[8], int at)
{
	double even[N / 2], odd[N / 2];

#pragma unroll
	for (int i = 0; i < N / 2; i++) {
		even[i] = x[at + i] + x[at + N - 1 - i];
		odd[i] = x[at + i] - x[at + N - 1 - i];
	}
#pragma unroll
	for (int m = 0; m < N; m++) {
		double sum = 0;
#pragma unroll
		for (int i = 0; i < N / 2; i++) {
			const int angle = (m + 1) * (i + 1) % (2 * N + 2),
				  k = angle > N + 1 ? angle - N - 1 : angle;
			const double s = patches_sine_of<N>(k), value = m % 2 ? odd[i] : even[i];

			if (k % (N + 1) == 0)
				continue;
			sum = fma(angle > N + 1 ? -s : s, value, sum);
		}
		x[at + m] = sum;
	}
}

/* Pieces of `block` values and a last one of what is left, from x to y: where blocks are cut. Not
 * inlined, since few tiles come here. */
static __device__ __noinline__ void patches_sines_cut(const double *x, double *y, int block, int n)
{
	/* sqrt(2 / (n + 1)) sin(pi k / (n + 1)) of n = 1 to 8 */
	static const double table[8][9] = {
		{ 0, 1.0 },
		{ 0, 0.70710678118654752, 0.70710678118654752 },
		{ 0, 0.5, 0.70710678118654752, 0.5 },
		{ 0, 0.37174803446018449, 0.60150095500754567, 0.60150095500754567,
		  0.37174803446018449 },
		{ 0, 0.28867513459481288, 0.5, 0.57735026918962576, 0.5, 0.28867513459481288 },
		{ 0, 0.23192061392432986, 0.417906505941275, 0.52112088916960239,
		  0.52112088916960239, 0.417906505941275, 0.23192061392432986 },
		{ 0, 0.19134171618254489, 0.35355339059327376, 0.46193976625564338, 0.5,
		  0.46193976625564338, 0.35355339059327376, 0.19134171618254489 },
		{ 0, 0.16122984176531684, 0.30301298511469579, 0.40824829046386302,
		  0.46424282688001263, 0.46424282688001263, 0.40824829046386302,
		  0.30301298511469579, 0.16122984176531684 },
	};

	for (int m = 0; m < 8; m++) {
		const int begin = m / block * block, side = n - begin < block ? n - begin : block;
		double sum = 0;

		for (int i = begin; i < begin + side; i++) {
			const int angle = (m - begin + 1) * (i - begin + 1) % (2 * side + 2),
				  k = angle > side + 1 ? angle - side - 1 : angle;
			const double s = k == side + 1 ? 0 : table[side - 1][k];

			sum = fma(angle > side + 1 ? -s : s, x[i], sum);
		}
		y[m] = sum;
	}
}

/* The first n of 8 values along an axis of blocks of 1, 2, 4 or 8; WHOLE: n is 8. */
template <bool WHOLE>
static __device__ __forceinline__ void patches_transform(double (&x)[8], int block, int n)
{
	if (!WHOLE && n % block) {
		double from[8], to[8]; /* so that x may stay in registers */

#pragma unroll
		for (int q = 0; q < 8; q++)
			from[q] = x[q];
		patches_sines_cut(from, to, block, n);
#pragma unroll
		for (int q = 0; q < 8; q++)
			x[q] = to[q];
	} else if (block == 8) {
		patches_sines<8>(x, 0);
	} else if (block == 4) {
		patches_sines<4>(x, 0);
		patches_sines<4>(x, 4);
	} else if (block == 2) {
#pragma unroll
		for (int at = 0; at < 8; at += 2)
			patches_sines<2>(x, at);
	}
}

#endif
