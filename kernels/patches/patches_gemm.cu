/* SPDX-License-Identifier: MIT
 * All blocks at once: their residuals as columns of a matrix, its product with the inverse by
 * cuBLAS, which takes FP64 tensor cores, and the update; and what moves ghost values. The matrix is
 * four, of sums and of differences of mirrored cells, and the product a quarter (patches.h).
 */
#include <pthread.h>

#include "patches_cublas.cuh"
#include "patches_device.cuh"
#include "patches_ghost.h"

/* As many cells beside each other along x as a thread takes: one, or where blocks are even along x
 * two, which lie in pieces of 16 bytes. */
template <int MANY> struct alignas(8 * MANY) cells {
	double at[MANY];
};

template <int MANY> __device__ __forceinline__ struct cells<MANY> load_cells(const double *from) {
	return *(const struct cells<MANY> *)from;
}

template <int MANY>
__device__ __forceinline__ void store_cells(double *to, const struct cells<MANY> &value)
{
	*(struct cells<MANY> *)to = value;
}

/* Columns of a block along z and their mirrors along y: their cells in the lowest plane, of u and
 * of f; and of the packed parts. Corrections lie `corrections` behind residuals. */
struct packed_columns {
	int64_t u[2], f[2], part[PATCHES_PARTS], corrections;
	int32_t pitch, plane, f_plane;
	int32_t packed_plane[2]; /* of sums and of differences along y */
	bool mirrored;		 /* false: they are their own mirrors */
};

/* False: there are no such columns. */
template <int MANY>
__device__ __forceinline__ bool packed_columns_of(const struct patches_step &step,
						  struct packed_columns *c)
{
	const int64_t at = ((int64_t)blockIdx.x * PATCHES_TILE_THREADS + threadIdx.x) * MANY;
	const int32_t bx = step.block[0], by = step.block[1], bz = step.block[2],
		      plane = bx * patches_part(by, 0), block = (int32_t)(at / plane),
		      cell = (int32_t)(at - (int64_t)block * plane), j = cell / bx,
		      far = by - 1 - 2 * j;
	if (block >= step.blocks)
		return false;
	const struct patches_box *box =
		patches_find(step, block, step.blocks, patches_first_block());
	const int32_t index = block - (box->first_block - step.box[step.first].first_block),
		      row = index / box->blocks[0], layer = row / box->blocks[1],
		      x = (index - row * box->blocks[0]) * bx + cell - j * bx,
		      y = (row - layer * box->blocks[1]) * by + j, z = layer * bz;
	int64_t before = 0;

	c->u[0] = box->origin + (int64_t)z * box->plane + (int64_t)y * box->pitch + x;
	c->u[1] = c->u[0] + (int64_t)far * box->pitch;
	c->f[0] = box->first_cell + ((int64_t)z * box->n[1] + y) * box->n[0] + x;
	c->f[1] = c->f[0] + (int64_t)far * box->n[0];
	c->pitch = box->pitch;
	c->plane = box->plane;
	c->f_plane = box->n[0] * box->n[1];
	c->packed_plane[0] = plane;
	c->packed_plane[1] = bx * patches_part(by, 1);
	c->mirrored = far > 0;
#pragma unroll
	for (int p = 0; p < PATCHES_PARTS; p++) {
		const int32_t cells = c->packed_plane[p & 1] * patches_part(bz, p & 2);

		c->part[p] = before + (int64_t)block * cells + cell;
		before += (int64_t)step.blocks * cells;
	}
	c->corrections = before;
	return true;
}

/* f - A u of cells at u, whose values and neighbours along z are known. */
template <int MANY>
__device__ __forceinline__ struct cells<MANY>
packed_residual(const struct patches_step &step, const double *u, int32_t pitch, const double *f,
		const struct cells<MANY> &below, const struct cells<MANY> &centre,
		const struct cells<MANY> &above) {
	const double sz = step.stencil[3], sy = step.stencil[2], sx = step.stencil[1],
		     sc = step.stencil[0], left = u[-1], right = u[MANY];
	const struct cells<MANY> back = load_cells<MANY>(u + pitch),
				 front = load_cells<MANY>(u - pitch);
	struct cells<MANY> r = load_cells<MANY>(f);

#pragma unroll
	for (int p = 0; p < MANY; p++) {
		r.at[p] = fma(-sz, above.at[p], r.at[p]);
		r.at[p] = fma(-sz, below.at[p], r.at[p]);
		r.at[p] = fma(-sy, back.at[p], r.at[p]);
		r.at[p] = fma(-sy, front.at[p], r.at[p]);
		r.at[p] = fma(-sx, p + 1 < MANY ? centre.at[MANY - 1] : right, r.at[p]);
		r.at[p] = fma(-sx, p ? centre.at[0] : left, r.at[p]);
		r.at[p] = fma(-sc, centre.at[p], r.at[p]);
	}
	return r;
}

template <int MANY>
__device__ __forceinline__ struct cells<MANY> plus(const struct cells<MANY> &a,
						   const struct cells<MANY> &b) {
	struct cells<MANY> sum;

#pragma unroll
	for (int p = 0; p < MANY; p++)
		sum.at[p] = a.at[p] + b.at[p];
	return sum;
}

template <int MANY>
__device__ __forceinline__ struct cells<MANY> minus(const struct cells<MANY> &a,
						    const struct cells<MANY> &b) {
	struct cells<MANY> difference;

#pragma unroll
	for (int p = 0; p < MANY; p++)
		difference.at[p] = a.at[p] - b.at[p];
	return difference;
}

/* On columns from the outer planes inwards, two at a time, which are each other's mirror. */
template <int MANY>
struct walk {
	const double *low, *high, *low_f, *high_f;
	struct cells<MANY> under, here, there, over;
};

template <int MANY>
__device__ __forceinline__ struct walk<MANY> walk_of(const struct patches_step &step,
						     const struct packed_columns &c, int which) {
	const int32_t last = step.block[2] - 1;
	struct walk<MANY> w;

	w.low = step.u + c.u[which];
	w.high = w.low + (int64_t)last * c.plane;
	w.low_f = step.f + c.f[which];
	w.high_f = w.low_f + (int64_t)last * c.f_plane;
	w.under = load_cells<MANY>(w.low - c.plane);
	w.here = load_cells<MANY>(w.low);
	w.there = load_cells<MANY>(w.high);
	w.over = load_cells<MANY>(w.high + c.plane);
	return w;
}

/* Sum and difference of two planes' residuals, and on to the next two. */
template <int MANY>
__device__ __forceinline__ void walk_on(const struct patches_step &step,
					const struct packed_columns &c, struct walk<MANY> &w,
					struct cells<MANY> &sum, struct cells<MANY> &difference)
{
	const struct cells<MANY> above = load_cells<MANY>(w.low + c.plane),
				 below = load_cells<MANY>(w.high - c.plane),
				 r = packed_residual<MANY>(step, w.low, c.pitch, w.low_f, w.under,
							   w.here, above),
				 q = packed_residual<MANY>(step, w.high, c.pitch, w.high_f, below,
							   w.there, w.over);

	sum = plus<MANY>(r, q);
	difference = minus<MANY>(r, q);
	w.under = w.here;
	w.here = above;
	w.over = w.there;
	w.there = below;
	w.low += c.plane;
	w.high -= c.plane;
	w.low_f += c.f_plane;
	w.high_f -= c.f_plane;
}

/* Values of columns and of their mirrors as a sum and a difference along y. */
template <int MANY>
__device__ __forceinline__ void store_parts(double *sums, double *differences, bool mirrored,
					    const struct cells<MANY> &near,
					    const struct cells<MANY> &far)
{
	store_cells<MANY>(sums, mirrored ? plus<MANY>(near, far) : near);
	if (mirrored)
		store_cells<MANY>(differences, minus<MANY>(near, far));
}

template <int MANY> __device__ __forceinline__ void gemm_residual(const struct patches_step &step)
{
	const int32_t planes = step.block[2];
	struct packed_columns c;

	if (!packed_columns_of<MANY>(step, &c))
		return;
	struct walk<MANY> near = walk_of<MANY>(step, c, 0), far = walk_of<MANY>(step, c, 1);
	double *part[PATCHES_PARTS];

#pragma unroll
	for (int p = 0; p < PATCHES_PARTS; p++)
		part[p] = step.packed + c.part[p];
#pragma unroll 2
	for (int32_t k = 0; k < planes / 2; k++) {
		struct cells<MANY> sum[2], difference[2];

		walk_on<MANY>(step, c, near, sum[0], difference[0]);
		walk_on<MANY>(step, c, far, sum[1], difference[1]);
		store_parts<MANY>(part[0], part[1], c.mirrored, sum[0], sum[1]);
		store_parts<MANY>(part[2], part[3], c.mirrored, difference[0], difference[1]);
#pragma unroll
		for (int p = 0; p < PATCHES_PARTS; p++)
			part[p] += c.packed_plane[p & 1];
	}
	if (planes % 2)
		store_parts<MANY>(part[0], part[1], c.mirrored,
				  packed_residual<MANY>(step, near.low, c.pitch, near.low_f,
							near.under, near.here, near.over),
				  packed_residual<MANY>(step, far.low, c.pitch, far.low_f,
							far.under, far.here, far.over));
}

/* v = u + omega e. */
template <int MANY>
__device__ __forceinline__ void relax_cells(const struct patches_step &step, int64_t at,
					    const struct cells<MANY> &e)
{
	struct cells<MANY> value = load_cells<MANY>(step.u + at);

#pragma unroll
	for (int p = 0; p < MANY; p++)
		value.at[p] = fma(step.omega, e.at[p], value.at[p]);
	store_cells<MANY>(step.v + at, value);
}

template <int MANY> __device__ __forceinline__ void gemm_update(const struct patches_step &step)
{
	const int32_t planes = step.block[2];
	struct packed_columns c;

	if (!packed_columns_of<MANY>(step, &c))
		return;
	const int64_t far = c.u[1] - c.u[0];
	const double *part[PATCHES_PARTS];
	int64_t low = c.u[0], high = low + (int64_t)(planes - 1) * c.plane;

#pragma unroll
	for (int p = 0; p < PATCHES_PARTS; p++)
		part[p] = step.packed + c.corrections + c.part[p];
#pragma unroll 2
	for (int32_t k = 0; k < (planes + 1) / 2; k++) {
		const bool middle = low == high;
		struct cells<MANY> e[PATCHES_PARTS];

#pragma unroll
		for (int p = 0; p < PATCHES_PARTS; p++)
			e[p] = (p & 1 && !c.mirrored) || (p & 2 && middle)
				       ? cells<MANY>{}
				       : load_cells<MANY>(part[p]);
		const struct cells<MANY> near_sum = plus<MANY>(e[0], e[1]),
					 near_difference = plus<MANY>(e[2], e[3]),
					 far_sum = minus<MANY>(e[0], e[1]),
					 far_difference = minus<MANY>(e[2], e[3]);

		relax_cells<MANY>(step, low, plus<MANY>(near_sum, near_difference));
		if (!middle)
			relax_cells<MANY>(step, high, minus<MANY>(near_sum, near_difference));
		if (c.mirrored) {
			relax_cells<MANY>(step, low + far, plus<MANY>(far_sum, far_difference));
			if (!middle)
				relax_cells<MANY>(step, high + far,
						  minus<MANY>(far_sum, far_difference));
		}
		low += c.plane;
		high -= c.plane;
#pragma unroll
		for (int p = 0; p < PATCHES_PARTS; p++)
			part[p] += c.packed_plane[p & 1];
	}
}

__device__ __forceinline__ void gemm_residual_any(const struct patches_step &step)
{
	if (step.block[0] % 2)
		gemm_residual<1>(step);
	else
		gemm_residual<2>(step);
}

__device__ __forceinline__ void gemm_update_any(const struct patches_step &step)
{
	if (step.block[0] % 2)
		gemm_update<1>(step);
	else
		gemm_update<2>(step);
}

PATCHES_KERNEL(patches_gemm_residual, PATCHES_TILE_THREADS, 2, gemm_residual_any,
	       patches_packed_geometry)
PATCHES_KERNEL(patches_gemm_update, PATCHES_TILE_THREADS, 3, gemm_update_any,
	       patches_packed_geometry)

/* ---- the product ---- */

enum { NO_CUBLAS = 801 /* cudaErrorNotSupported */ };

/* A GPU's handle, made by its first product and kept: making one takes longer than many products,
 * and every run has threads of its own. NULL: none can be had. */
static void *handle_of(const struct cublas *cublas)
{
	enum { GPUS_MOST = 64 };
	static void *handles[GPUS_MOST];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *handle = NULL;
	int gpu;

	if (cudaGetDevice(&gpu) || gpu < 0 || gpu >= GPUS_MOST)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!handles[gpu] && cublas->create(&handles[gpu]))
		handles[gpu] = NULL;
	handle = handles[gpu];
	pthread_mutex_unlock(&lock);
	return handle;
}

static int launch_patches_gemm_product(const void *args, void *stream)
{
	static const struct cublas cublas = cublas_load();
	const struct patches_step *step = (const struct patches_step *)args;
	const int cells = step->block[0] * step->block[1] * step->block[2];
	const double one = 1, zero = 0, *inverse = step->inverse, *residual = step->packed;
	double *correction = step->packed + (int64_t)step->blocks * cells;

	if (!cublas.create || !cublas.set_stream || !cublas.dgemm)
		return NO_CUBLAS;
	void *handle = handle_of(&cublas);
	if (!handle)
		return NO_CUBLAS;
	if (cublas.set_stream(handle, (cudaStream_t)stream))
		return cudaErrorInvalidValue;
	for (int p = 0; p < PATCHES_PARTS; p++) {
		const int side = patches_part_side(step->block, p);

		if (side &&
		    cublas.dgemm(handle, CUBLAS_PLAIN, CUBLAS_PLAIN, side, step->blocks, side, &one,
				 inverse, side, residual, side, &zero, correction, side))
			return cudaErrorInvalidValue;
		inverse += (int64_t)side * side;
		residual += (int64_t)step->blocks * side;
		correction += (int64_t)step->blocks * side;
	}
	return cudaSuccess;
}

/* ---- ghost values ---- */

extern "C" __global__ void __launch_bounds__(PATCHES_GHOST_THREADS)
	patches_ghosts(const struct patches_ghost_list ghosts)
{
	block_note<block_note_id("patches_ghosts")> note;
	const struct patches_ghost *link = ghosts.link + ghosts.first + blockIdx.x;
	const int32_t cell = (int32_t)(blockIdx.y * PATCHES_GHOST_THREADS + threadIdx.x);
	const int32_t b = cell / link->count_a;

	if (b < link->count_b)
		patches_ghost_cell(&ghosts, link, cell - b * link->count_a, b);
}

static int launch_patches_ghosts(const void *args, void *stream)
{
	struct patches_ghost_list ghosts = *(const struct patches_ghost_list *)args;
	struct launch_geometry g;
	void *arguments[] = { &ghosts };

	patches_ghosts_geometry(&ghosts, &g);
	if (!g.grid[0] || !g.grid[1])
		return cudaSuccess;
	return cudaLaunchKernel(patches_ghosts, dim3(g.grid[0], g.grid[1], g.grid[2]),
				dim3(g.block[0], g.block[1], g.block[2]), arguments, 0,
				(cudaStream_t)stream);
}

extern "C" const struct cuda_kernel patches_gemm_kernels[] = {
	{ "patches_gemm_residual", launch_patches_gemm_residual },
	{ "patches_gemm_product", launch_patches_gemm_product },
	{ "patches_gemm_update", launch_patches_gemm_update },
	{ "patches_ghosts", launch_patches_ghosts },
	{ 0, 0 },
};
