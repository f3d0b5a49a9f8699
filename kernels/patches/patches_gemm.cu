/* SPDX-License-Identifier: MIT
 * All blocks at once: their residuals as columns of one matrix, one product with the inverse by
 * cuBLAS, which takes FP64 tensor cores, and the update; and what moves ghost values.
 *
 * cuBLAS is loaded when first asked for: a machine without it runs all else.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "patches_device.cuh"
#include "patches_ghost.h"

/* A column of cells of a block, along z: of the packed matrix of residuals, behind all of which are
 * the corrections. */
struct packed_column {
	const struct patches_box *box;
	int64_t packed, u, f;
	int32_t stride; /* of the packed matrix, from plane to plane */
};

/* False: there is no such column. */
__device__ __forceinline__ bool packed_column_of(const struct patches_step &step, int64_t at,
						 struct packed_column *c)
{
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
		      z = layer * step.block[2];

	c->box = box;
	c->packed = (int64_t)block * plane * step.block[2] + cell;
	c->u = box->origin + (int64_t)z * box->plane + (int64_t)y * box->pitch + x;
	c->f = box->first_cell + ((int64_t)z * box->n[1] + y) * box->n[0] + x;
	c->stride = plane;
	return true;
}

__device__ __forceinline__ void gemm_residual(const struct patches_step &step)
{
	const int64_t at = (int64_t)blockIdx.x * PATCHES_TILE_THREADS + threadIdx.x;
	const double sz = step.stencil[3], sy = step.stencil[2], sx = step.stencil[1],
		     sc = step.stencil[0];
	struct packed_column c;

	if (!packed_column_of(step, at, &c))
		return;
	const int32_t plane = c.box->plane, pitch = c.box->pitch,
		      f_plane = c.box->n[0] * c.box->n[1];
	const double *u = step.u + c.u, *f = step.f + c.f;
	double *packed = step.packed + c.packed;
	double below = u[-plane], centre = u[0];

#pragma unroll 4
	for (int32_t k = 0; k < step.block[2]; k++) {
		const double above = u[plane];
		double r = *f;

		r = fma(-sz, above, r);
		r = fma(-sz, below, r);
		r = fma(-sy, u[pitch], r);
		r = fma(-sy, u[-pitch], r);
		r = fma(-sx, u[1], r);
		r = fma(-sx, u[-1], r);
		*packed = fma(-sc, centre, r);
		below = centre;
		centre = above;
		u += plane;
		f += f_plane;
		packed += c.stride;
	}
}

__device__ __forceinline__ void gemm_update(const struct patches_step &step)
{
	const int64_t at = (int64_t)blockIdx.x * PATCHES_TILE_THREADS + threadIdx.x;
	struct packed_column c;

	if (!packed_column_of(step, at, &c))
		return;
	const int32_t plane = c.box->plane;
	const double *u = step.u + c.u, *packed = step.packed + c.packed +
						  (int64_t)step.blocks * c.stride * step.block[2];
	double *v = step.v + c.u;

#pragma unroll 4
	for (int32_t k = 0; k < step.block[2]; k++) {
		*v = fma(step.omega, *packed, *u);
		u += plane;
		v += plane;
		packed += c.stride;
	}
}

PATCHES_KERNEL(patches_gemm_residual, PATCHES_TILE_THREADS, 1, gemm_residual,
	       patches_packed_geometry)
PATCHES_KERNEL(patches_gemm_update, PATCHES_TILE_THREADS, 1, gemm_update, patches_packed_geometry)

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
	const int cells = step->block[0] * step->block[1] * step->block[2];
	const int64_t packed = (int64_t)step->blocks * cells;
	const double one = 1, zero = 0;

	if (!cublas.create || !cublas.set_stream || !cublas.dgemm)
		return NO_CUBLAS;
	void *handle = handle_of(&cublas);
	if (!handle)
		return NO_CUBLAS;
	return cublas.set_stream(handle, (cudaStream_t)stream) ||
			       cublas.dgemm(handle, CUBLAS_PLAIN, CUBLAS_PLAIN, cells, step->blocks,
					    cells, &one, step->inverse, cells, step->packed, cells,
					    &zero, step->packed + packed, cells)
		       ? cudaErrorInvalidValue
		       : cudaSuccess;
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
