/* SPDX-License-Identifier: MIT
 * One half-sweep of red-black SOR as one would first write it: each colour in an array of its own,
 * one point a thread. test_plain_sor.c walks its machine code, which is kept beside it (nvcc 13.0,
 * nvdisasm 13.1):
 *
 *     nvcc -arch=sm_90 -cubin -o plain_sor.cubin plain_sor.cu
 *     nvdisasm -c -hex plain_sor.cubin >plain_sor.sass
 *
 * Point (i, c) of an n x n grid is entry c / 2 of row i of its colour's array, which has n / 2
 * columns. Its neighbours above and below are the same entry of the rows above and below of the
 * other colour; those beside it are the same entry of the same row and the one before or behind.
 */
template <typename T>
static __device__ __forceinline__ void half_sweep(T *own, const T *other, int n, int colour,
						  T omega)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	int shift = (i + colour) & 1, column = 2 * j + shift, pitch = n / 2, k = i * pitch + j;

	if (i < 1 || i > n - 2 || column < 1 || column > n - 2)
		return;
	T sum = other[k - pitch] + other[k + pitch] + other[k] + other[k + 2 * shift - 1];
	own[k] += omega * (sum / 4 - own[k]);
}

extern "C" __global__ void plain_sor_f32(float *own, const float *other, int n, int colour,
					 float omega)
{
	half_sweep(own, other, n, colour, omega);
}

extern "C" __global__ void plain_sor_f64(double *own, const double *other, int n, int colour,
					 double omega)
{
	half_sweep(own, other, n, colour, omega);
}
