/* SPDX-License-Identifier: MIT
 * Microkernels around shared memory: a block's sum, transposes without it, with bank conflicts and
 * without them, a stencil.
 */
#include "micro_launch.cuh"

/* Four elements a thread, then a tree; one partial sum a block. */
extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_reduce(const struct micro_args args)
{
	block_note<block_note_id("micro_reduce")> note;
	__shared__ float tree[MICRO_BLOCK_MAX];
	const float *in = (const float *)args.in[0];
	const int t = (int)threadIdx.x, block = (int)blockDim.x;
	const int64_t base = (int64_t)blockIdx.x * block * MICRO_REDUCE_ITEMS + t;
	float sum = 0;

#pragma unroll
	for (int k = 0; k < MICRO_REDUCE_ITEMS; k++)
		if (base + (int64_t)k * block < args.n)
			sum += in[base + (int64_t)k * block];
	tree[t] = sum;
	__syncthreads();
	for (int half = block / 2; half > 0; half /= 2) {
		if (t < half)
			tree[t] += tree[t + half];
		__syncthreads();
	}
	if (t == 0)
		((float *)args.out)[blockIdx.x] = tree[0];
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_transpose(const struct micro_args args)
{
	block_note<block_note_id("micro_transpose")> note;
	const float *in = (const float *)args.in[0];
	float *out = (float *)args.out;
	const int64_t column = (int64_t)blockIdx.x * MICRO_TILE + threadIdx.x,
		      row = (int64_t)blockIdx.y * MICRO_TILE + threadIdx.y;

	for (int k = 0; k < MICRO_TILE; k += (int)blockDim.y)
		if (column < args.n && row + k < args.n)
			out[column * args.n + row + k] = in[(row + k) * args.n + column];
}

/* PAD 0: a column of the tile lies in one bank. PAD 1: in 32. */
template <int PAD> static __device__ __forceinline__ void transpose(const struct micro_args &args)
{
	__shared__ float tile[MICRO_TILE][MICRO_TILE + PAD];
	const float *in = (const float *)args.in[0];
	float *out = (float *)args.out;
	const int x = (int)threadIdx.x, y = (int)threadIdx.y, step = (int)blockDim.y;
	const int64_t left = (int64_t)blockIdx.x * MICRO_TILE,
		      top = (int64_t)blockIdx.y * MICRO_TILE;

	for (int k = y; k < MICRO_TILE; k += step)
		if (left + x < args.n && top + k < args.n)
			tile[k][x] = in[(top + k) * args.n + left + x];
	__syncthreads();
	for (int k = y; k < MICRO_TILE; k += step)
		if (top + x < args.n && left + k < args.n)
			out[(left + k) * args.n + top + x] = tile[x][k];
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_transpose_shared(const struct micro_args args)
{
	block_note<block_note_id("micro_transpose_shared")> note;
	transpose<0>(args);
}

extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_transpose_padded(const struct micro_args args)
{
	block_note<block_note_id("micro_transpose_padded")> note;
	transpose<1>(args);
}

/* Mean of a point and its four neighbours; points of the edge are copied. A tile and its rim are in
 * shared memory. */
extern "C" __global__ void __launch_bounds__(MICRO_BLOCK_MAX)
	micro_stencil(const struct micro_args args)
{
	block_note<block_note_id("micro_stencil")> note;
	__shared__ float tile[MICRO_BLOCK_MAX / MICRO_TILE + 2][MICRO_TILE + 2];
	const float *in = (const float *)args.in[0];
	const int x = (int)threadIdx.x + 1, y = (int)threadIdx.y + 1, height = (int)blockDim.y;
	const int64_t n = args.n, column = (int64_t)blockIdx.x * MICRO_TILE + threadIdx.x,
		      row = (int64_t)blockIdx.y * height + threadIdx.y;
	const bool inside = column < n && row < n;

	if (inside) {
		const float *u = in + row * n + column;
		tile[y][x] = u[0];
		if (x == 1 && column > 0)
			tile[y][0] = u[-1];
		if (x == MICRO_TILE && column < n - 1)
			tile[y][MICRO_TILE + 1] = u[1];
		if (y == 1 && row > 0)
			tile[0][x] = u[-n];
		if (y == height && row < n - 1)
			tile[height + 1][x] = u[n];
	}
	__syncthreads();
	if (!inside)
		return;
	float value = tile[y][x];
	if (column > 0 && column < n - 1 && row > 0 && row < n - 1)
		value = 0.2f *
			(((tile[y][x - 1] + tile[y][x + 1]) + (tile[y - 1][x] + tile[y + 1][x])) +
			 value);
	((float *)args.out)[row * n + column] = value;
}

MICRO_LAUNCHER(micro_reduce, micro_reduce_geometry)
MICRO_LAUNCHER(micro_transpose, micro_tile_geometry)
MICRO_LAUNCHER(micro_transpose_shared, micro_tile_geometry)
MICRO_LAUNCHER(micro_transpose_padded, micro_tile_geometry)
MICRO_LAUNCHER(micro_stencil, micro_rows_geometry)

extern "C" const struct cuda_kernel micro_shared_kernels[] = {
	{ "micro_reduce", launch_micro_reduce },
	{ "micro_transpose", launch_micro_transpose },
	{ "micro_transpose_shared", launch_micro_transpose_shared },
	{ "micro_transpose_padded", launch_micro_transpose_padded },
	{ "micro_stencil", launch_micro_stencil },
	{ 0, 0 },
};
