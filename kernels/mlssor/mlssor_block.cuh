/* SPDX-License-Identifier: MIT
 * What the kernels of multi-layer SSOR have in common: a block takes tiles of one row of
 * subdomains, a thread one of them.
 *
 * Shared memory holds rows of boxes (mlssor_box). Row i of the tile of thread x has its column j at
 * i * pitch + j * blockDim.x + x: threads side by side read words side by side, without bank
 * conflicts. Column `width` of a tile is column 0 of the next one's, and nobody's of the last in a
 * block: tiles never write it (mlssor_tiles.h).
 */
#ifndef WARPREEL_MLSSOR_BLOCK_CUH
#define WARPREEL_MLSSOR_BLOCK_CUH

#include <cuda_runtime.h>

#include "kernels/machine/machine.h"
#include "mlssor_geometry.h"
#include "mlssor_tiles.h"

extern __shared__ double dynamic_shared[];

struct mlssor_block {
	struct mlssor_axis rows, columns;
	struct mlssor_view view;
	int32_t tile_row, tile_column;
	int32_t s;		/* row of subdomains */
	int32_t first_t, tiles; /* of the block: columns of subdomains */
	int32_t t;		/* of the thread */
	int32_t box_rows, box_columns;
	int32_t row0, column0; /* of the sweep: where the thread's box begins */
	bool active;
};

/* False: no tiles for this block. `transposed`: the half of a fused launch that is K21. */
__device__ __forceinline__ bool mlssor_block_begin(const struct mlssor_sweep &sweep,
						   bool transposed, uint32_t block_x,
						   struct mlssor_block *b)
{
	b->rows = mlssor_rows(&sweep);
	b->columns = mlssor_columns(&sweep);
	b->view = mlssor_view_of(&sweep);
	b->tile_row = transposed ? sweep.tile_column : sweep.tile_row;
	b->tile_column = transposed ? sweep.tile_row : sweep.tile_column;
	b->s = sweep.begin + (int32_t)(blockIdx.z * gridDim.y + blockIdx.y);
	b->first_t = (int32_t)(block_x * blockDim.x);
	b->tiles = b->columns.count - b->first_t;
	if (b->tiles > (int32_t)blockDim.x)
		b->tiles = (int32_t)blockDim.x;
	b->t = b->first_t + (int32_t)threadIdx.x;
	b->active = (int32_t)threadIdx.x < b->tiles;
	b->box_rows = mlssor_box_points(&b->rows, b->tile_row);
	b->box_columns = mlssor_box_points(&b->columns, b->tile_column);
	b->row0 = mlssor_box(&b->rows, b->s, b->tile_row);
	b->column0 = mlssor_box(&b->columns, b->t, b->tile_column);
	return b->s < sweep.end;
}

/* Whether a subdomain has neighbours on both sides: its tiles have constant shapes. */
__device__ __forceinline__ bool mlssor_inner(const struct mlssor_axis &axis, int32_t s)
{
	return s > 0 && s < axis.count - 1;
}

__device__ __forceinline__ int32_t mlssor_pitch(int32_t width)
{
	return width * (int32_t)blockDim.x + 1;
}

/* Column j, 0 to width, of thread x in a row of shared memory. */
__device__ __forceinline__ int32_t mlssor_slot(int32_t width, int32_t j, int32_t x)
{
	const int32_t threads = (int32_t)blockDim.x;

	if (j < width)
		return j * threads + x;
	return x + 1 < threads ? x + 1 : width * threads;
}

__device__ __forceinline__ float *mlssor_at(const struct mlssor_view &view, int32_t i, int32_t j)
{
	return view.origin + i * view.row + j * view.column;
}

/* Rows and columns that the grid has, boundary included. */
__device__ __forceinline__ bool mlssor_stored(const struct mlssor_axis &axis, int32_t k)
{
	return k >= 0 && k <= axis.points + 1;
}

__device__ __forceinline__ float mlssor_update(float u, float west, float east, float north,
					       float south, float omega)
{
	return u + omega * (0.25f * ((west + east) + (north + south)) - u);
}

/* The first layer in which tile `part` of subdomain s has point k, of those before which it has not
 * yet had it. */
__device__ __forceinline__ int32_t mlssor_first_layer(const struct mlssor_axis &axis, int32_t s,
						      int32_t part, int32_t k)
{
	const int32_t middle = (s + 1) * axis.width - axis.shift;

	if (part < axis.parts - 1)
		return 0;
	if (k <= middle)
		return middle - k;
	return s == axis.count - 1 ? 0 : k - middle;
}

/* Whether a tile updates a point in any layer: what goes back to memory. In a fused launch the
 * others in its box may be another tile's. Tiles of more than 2x2 are never fused. */
__device__ __forceinline__ bool mlssor_writes(const struct mlssor_block &b, int32_t t, int32_t i,
					      int32_t j)
{
	const int32_t qi = mlssor_first_layer(b.rows, b.s, b.tile_row, i),
		      qj = mlssor_first_layer(b.columns, t, b.tile_column, j),
		      first = qi > qj ? qi : qj,
		      last = b.rows.parts == 2 ? first : b.rows.layers - 1;

	for (int32_t q = first; q <= last && q < b.rows.layers; q++) {
		const struct mlssor_range rows = mlssor_tile(&b.rows, b.s, b.tile_row, q),
					  columns = mlssor_tile(&b.columns, t, b.tile_column, q);
		if (i >= rows.begin && i < rows.end && j >= columns.begin && j < columns.end)
			return true;
	}
	return false;
}

/* Tiles of constant shape: range of box indices at layer q, of the first tile (0) or the border
 * tile (1) of a subdomain of SIDE points. */
template <int PART, int SIDE> __device__ constexpr int mlssor_low(int q)
{
	return PART ? SIDE / 2 - q : 1 + q;
}
template <int PART, int SIDE> __device__ constexpr int mlssor_high(int q)
{
	return PART ? SIDE / 2 + q + 1 : SIDE - q;
}

/* Grid and block by `geometry`; a cudaError_t. */
typedef void mlssor_kernel(const struct mlssor_sweep sweep);
static inline int mlssor_start(mlssor_kernel *kernel,
			       void (*geometry)(const void *args, struct launch_geometry *geometry),
			       const void *args, void *stream)
{
	struct mlssor_sweep sweep = *(const struct mlssor_sweep *)args;
	struct launch_geometry g;
	void *arguments[] = { &sweep };

	geometry(args, &g);
	if (!g.grid[0])
		return cudaSuccess;
	if (g.shared_bytes > 48 << 10) {
		const cudaError_t rc = cudaFuncSetAttribute(
			kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)g.shared_bytes);
		if (rc != cudaSuccess)
			return rc;
	}
	return cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, g.shared_bytes,
				(cudaStream_t)stream);
}

/* Kernels of a form: mlssor_<kernel>_<form><side>_<tile>. */
#define MLSSOR_NAME_0(kernel, form, tile) mlssor_##kernel##_##form##_##tile
#define MLSSOR_NAME_4(kernel, form, tile) mlssor_##kernel##_##form##4_##tile
#define MLSSOR_NAME_8(kernel, form, tile) mlssor_##kernel##_##form##8_##tile
#define MLSSOR_NAME_16(kernel, form, tile) mlssor_##kernel##_##form##16_##tile
#define MLSSOR_NAME_32(kernel, form, tile) mlssor_##kernel##_##form##32_##tile
#define MLSSOR_STRING_OF(name) #name
#define MLSSOR_STRING(name) MLSSOR_STRING_OF(name)

/* Threads of the largest block. */
#ifndef MLSSOR_BOUND
#define MLSSOR_BOUND MLSSOR_MOST_THREADS
#endif

/* One kernel and its launcher; body<row, column, side, coalesced>(sweep, transposed, block_x). */
#define MLSSOR_KERNEL(kernel_name, body, row, column, side, coalesced)                             \
	extern "C" __global__ void __launch_bounds__(MLSSOR_BOUND)                                 \
		kernel_name(const struct mlssor_sweep sweep)                                       \
	{                                                                                          \
		block_note<block_note_id(MLSSOR_STRING(kernel_name))> note;                        \
		body<row, column, side, coalesced>(sweep, false, blockIdx.x);                      \
	}
#define MLSSOR_FUSED(kernel_name, body, side, coalesced)                                           \
	extern "C" __global__ void __launch_bounds__(MLSSOR_BOUND)                                 \
		kernel_name(const struct mlssor_sweep sweep)                                       \
	{                                                                                          \
		block_note<block_note_id(MLSSOR_STRING(kernel_name))> note;                        \
		const uint32_t half = gridDim.x / 2;                                               \
		if (blockIdx.x < half)                                                             \
			body<0, 1, side, coalesced>(sweep, false, blockIdx.x);                     \
		else                                                                               \
			body<1, 0, side, coalesced>(sweep, true, blockIdx.x - half);               \
	}
#define MLSSOR_KERNELS(name, kernel, form, body, side, coalesced)                                  \
	MLSSOR_KERNEL(name(kernel, form, 11), body, 0, 0, side, coalesced)                         \
	MLSSOR_KERNEL(name(kernel, form, 12), body, 0, 1, side, coalesced)                         \
	MLSSOR_KERNEL(name(kernel, form, 21), body, 1, 0, side, coalesced)                         \
	MLSSOR_KERNEL(name(kernel, form, 22), body, 1, 1, side, coalesced)                         \
	MLSSOR_FUSED(name(kernel, form, 1221), body, side, coalesced)
#define MLSSOR_LAUNCHER(kernel_name, geometry)                                                     \
	{ MLSSOR_STRING(kernel_name), [](const void *args, void *stream) {                         \
		 return mlssor_start(kernel_name, geometry, args, stream);                         \
	 } },
#define MLSSOR_LAUNCHERS(name, kernel, form, geometry)                                             \
	MLSSOR_LAUNCHER(name(kernel, form, 11), geometry)                                          \
	MLSSOR_LAUNCHER(name(kernel, form, 12), geometry)                                          \
	MLSSOR_LAUNCHER(name(kernel, form, 21), geometry)                                          \
	MLSSOR_LAUNCHER(name(kernel, form, 22), geometry)                                          \
	MLSSOR_LAUNCHER(name(kernel, form, 1221), geometry)

#endif
