/* SPDX-License-Identifier: MIT
 * All blocks at once: their residuals as columns of a matrix, its product with the inverse by
 * cuBLAS, which takes FP64 tensor cores, and the update; and what moves ghost values. The matrix is
 * two, of sums and of differences of mirrored planes, which halves the product (patches.h).
 *
 * cuBLAS is loaded when first asked for: a machine without it runs all else.
 */
#include <dlfcn.h>
#include <pthread.h>

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

/* Columns of a block along z: their cells in the lowest plane, of u, of f and of the packed sums
 * and differences of residuals. Corrections lie `corrections` behind them. */
struct packed_column {
	int64_t u, f, sum, difference, corrections;
	int32_t pitch, plane, f_plane, packed_plane;
};

/* False: there are no such columns. */
template <int MANY>
__device__ __forceinline__ bool packed_column_of(const struct patches_step &step,
						 struct packed_column *c)
{
	const int64_t at = ((int64_t)blockIdx.x * PATCHES_TILE_THREADS + threadIdx.x) * MANY;
	const int32_t bx = step.block[0], plane = bx * step.block[1], block = (int32_t)(at / plane),
		      cell = (int32_t)(at - (int64_t)block * plane), j = cell / bx;
	if (block >= step.blocks)
		return false;
	const struct patches_box *box =
		patches_find(step, block, step.blocks, patches_first_block());
	const int32_t index = block - (box->first_block - step.box[step.first].first_block),
		      row = index / box->blocks[0], layer = row / box->blocks[1],
		      x = (index - row * box->blocks[0]) * bx + cell - j * bx,
		      y = (row - layer * box->blocks[1]) * step.block[1] + j,
		      z = layer * step.block[2], sums = patches_sums(step.block[2]);

	c->u = box->origin + (int64_t)z * box->plane + (int64_t)y * box->pitch + x;
	c->f = box->first_cell + ((int64_t)z * box->n[1] + y) * box->n[0] + x;
	c->sum = (int64_t)block * sums * plane + cell;
	c->difference =
		((int64_t)step.blocks * sums + (int64_t)block * (step.block[2] - sums)) * plane +
		cell;
	c->corrections = (int64_t)step.blocks * plane * step.block[2];
	c->pitch = box->pitch;
	c->plane = box->plane;
	c->f_plane = box->n[0] * box->n[1];
	c->packed_plane = plane;
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

/* From the outer planes inwards, two at a time, which are each other's mirror. */
template <int MANY>
__device__ __forceinline__ void gemm_residual(const struct patches_step &step)
{
	const int32_t planes = step.block[2];
	struct packed_column c;

	if (!packed_column_of<MANY>(step, &c))
		return;
	double *sum = step.packed + c.sum, *difference = step.packed + c.difference;
	const double *low = step.u + c.u, *high = low + (int64_t)(planes - 1) * c.plane,
		     *low_f = step.f + c.f, *high_f = low_f + (int64_t)(planes - 1) * c.f_plane;
	struct cells<MANY> under = load_cells<MANY>(low - c.plane), here = load_cells<MANY>(low),
			   there = load_cells<MANY>(high), over = load_cells<MANY>(high + c.plane);

#pragma unroll 2
	for (int32_t k = 0; k < planes / 2; k++) {
		const struct cells<MANY> above = load_cells<MANY>(low + c.plane),
					 below = load_cells<MANY>(high - c.plane),
					 r = packed_residual<MANY>(step, low, c.pitch, low_f, under,
								   here, above),
					 q = packed_residual<MANY>(step, high, c.pitch, high_f,
								   below, there, over);
		struct cells<MANY> plus, minus;

#pragma unroll
		for (int p = 0; p < MANY; p++) {
			plus.at[p] = r.at[p] + q.at[p];
			minus.at[p] = r.at[p] - q.at[p];
		}
		store_cells<MANY>(sum, plus);
		store_cells<MANY>(difference, minus);
		under = here;
		here = above;
		over = there;
		there = below;
		low += c.plane;
		high -= c.plane;
		low_f += c.f_plane;
		high_f -= c.f_plane;
		sum += c.packed_plane;
		difference += c.packed_plane;
	}
	if (planes % 2)
		store_cells<MANY>(
			sum, packed_residual<MANY>(step, low, c.pitch, low_f, under, here, over));
}

template <int MANY> __device__ __forceinline__ void gemm_update(const struct patches_step &step)
{
	const int32_t planes = step.block[2];
	struct packed_column c;

	if (!packed_column_of<MANY>(step, &c))
		return;
	const double *sum = step.packed + c.corrections + c.sum,
		     *difference = step.packed + c.corrections + c.difference;
	int64_t low = c.u, high = low + (int64_t)(planes - 1) * c.plane;

#pragma unroll 4
	for (int32_t k = 0; k < planes / 2; k++) {
		const struct cells<MANY> plus = load_cells<MANY>(sum),
					 minus = load_cells<MANY>(difference);
		struct cells<MANY> here = load_cells<MANY>(step.u + low),
				   there = load_cells<MANY>(step.u + high);

#pragma unroll
		for (int p = 0; p < MANY; p++) {
			here.at[p] = fma(step.omega, plus.at[p] + minus.at[p], here.at[p]);
			there.at[p] = fma(step.omega, plus.at[p] - minus.at[p], there.at[p]);
		}
		store_cells<MANY>(step.v + low, here);
		store_cells<MANY>(step.v + high, there);
		low += c.plane;
		high -= c.plane;
		sum += c.packed_plane;
		difference += c.packed_plane;
	}
	if (planes % 2) {
		const struct cells<MANY> plus = load_cells<MANY>(sum);
		struct cells<MANY> here = load_cells<MANY>(step.u + low);

#pragma unroll
		for (int p = 0; p < MANY; p++)
			here.at[p] = fma(step.omega, plus.at[p], here.at[p]);
		store_cells<MANY>(step.v + low, here);
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

PATCHES_KERNEL(patches_gemm_residual, PATCHES_TILE_THREADS, 3, gemm_residual_any,
	       patches_packed_geometry)
PATCHES_KERNEL(patches_gemm_update, PATCHES_TILE_THREADS, 4, gemm_update_any,
	       patches_packed_geometry)

/* ---- the product ---- */

/* With the values of cublas_api.h. */
enum { CUBLAS_PLAIN = 0, NO_CUBLAS = 801 /* cudaErrorNotSupported */ };
struct cublas {
	int (*create)(void **handle);
	int (*set_stream)(void *handle, cudaStream_t stream);
	int (*dgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		     const double *alpha, const double *a, int a_stride, const double *b,
		     int b_stride, const double *beta, double *c, int c_stride);
};

static void find(void *library, const char *name, void *function)
{
	void *symbol = library ? dlsym(library, name) : NULL;

	__builtin_memcpy(function, &symbol, sizeof(symbol));
}

static struct cublas load_cublas(void)
{
	static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so" };
	struct cublas c = { NULL, NULL, NULL };
	void *library = NULL;

	for (int k = 0; k < 3 && !library; k++)
		library = dlopen(names[k], RTLD_NOW);
	find(library, "cublasCreate_v2", &c.create);
	find(library, "cublasSetStream_v2", &c.set_stream);
	find(library, "cublasDgemm_v2", &c.dgemm);
	return c;
}

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
	static const struct cublas cublas = load_cublas();
	const struct patches_step *step = (const struct patches_step *)args;
	const int plane = step->block[0] * step->block[1], cells = plane * step->block[2],
		  sums = patches_sums(step->block[2]) * plane;
	const double one = 1, zero = 0, *inverse = step->inverse, *residual = step->packed;
	double *correction = step->packed + (int64_t)step->blocks * cells;

	if (!cublas.create || !cublas.set_stream || !cublas.dgemm)
		return NO_CUBLAS;
	void *handle = handle_of(&cublas);
	if (!handle)
		return NO_CUBLAS;
	if (cublas.set_stream(handle, (cudaStream_t)stream))
		return cudaErrorInvalidValue;
	for (int q = 0; q < 2; q++) {
		const int side = q ? cells - sums : sums;

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
