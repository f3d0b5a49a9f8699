/* SPDX-License-Identifier: MIT
 * Algorithm 2 of Rodriguez et al. as published: the column-major inverse in global memory, the
 * residual of a block in shared memory, the stencil in constant memory (where parameters of a
 * launch are), and three ways to map blocks of cells to blocks of threads (section 2.1). Blocks
 * that are cut leave threads idle.
 */
#include "patches_device.cuh"

extern __shared__ double dynamic_shared[];

/* One cell's share of A^-1 r. */
__device__ __forceinline__ double product(const double *inverse, const double *r, int32_t cells,
					  int32_t cell)
{
	double sum = 0;

#pragma unroll 8
	for (int32_t g = 0; g < cells; g++)
		sum = fma(inverse[(int64_t)g * cells + cell], r[g], sum);
	return sum;
}

/* Cell (i, j, k) of a block. */
struct spot {
	int32_t i, j, k, cell;
	bool inside, own;
};

__device__ __forceinline__ struct spot spot_of(const struct patches_block &b, int32_t i, int32_t j,
					       int32_t k)
{
	const struct spot s = { i,
				j,
				k,
				(k * b.n[1] + j) * b.n[0] + i,
				i < b.n[0] && j < b.n[1] && k < b.n[2],
				i >= b.own[0] && j >= b.own[1] && k >= b.own[2] };

	return s;
}

template <bool CHAOTIC>
__device__ __forceinline__ double residual(const struct patches_step &step,
					   const struct patches_box *box,
					   const struct patches_block &b, const struct spot &s)
{
	return patches_residual_at<CHAOTIC>(
		step, box, step.u + box->origin + patches_u_at(box, &b, s.i, s.j, s.k),
		step.f[box->first_cell + patches_f_at(box, &b, s.i, s.j, s.k)]);
}

/* v = u + omega e; or, of Algorithm 3, v = omega e. */
template <bool CHAOTIC, bool ADVANCE>
__device__ __forceinline__ void
advance(const struct patches_step &step, const struct patches_box *box,
	const struct patches_block &b, const struct spot &s, double e)
{
	const int64_t at = box->origin + patches_u_at(box, &b, s.i, s.j, s.k);

	if (s.inside && s.own)
		patches_give<CHAOTIC>(step.v + at,
				      ADVANCE ? fma(step.omega, e, step.u[at]) : step.omega * e);
}

/* Block `index` of a patch by a thread a cell. */
template <bool CHAOTIC, bool ADVANCE>
__device__ __forceinline__ void relax_block(const struct patches_step &step,
					    const struct patches_box *box, int32_t index)
{
	const struct patches_block b = patches_block_of(&step, box, index);
	const struct spot s =
		spot_of(b, (int32_t)threadIdx.x, (int32_t)threadIdx.y, (int32_t)threadIdx.z);

	if (s.inside)
		dynamic_shared[s.cell] = residual<CHAOTIC>(step, box, b, s);
	__syncthreads();
	if (s.inside)
		advance<CHAOTIC, ADVANCE>(step, box, b, s,
					  product(step.inverse + box->inverse[b.cut],
						  dynamic_shared, b.cells, s.cell));
}

/* (C): a thread block has the size of a spatial block. */
template <bool CHAOTIC, bool ADVANCE>
__device__ __forceinline__ void gemv_c(const struct patches_step &step)
{
	const int32_t index = (int32_t)blockIdx.x;
	const struct patches_box *box =
		patches_find(step, index, step.blocks, patches_first_block());

	relax_block<CHAOTIC, ADVANCE>(
		step, box, index - (box->first_block - step.box[step.first].first_block));
}

/* Strategy 1: a thread block sweeps through a patch. */
template <bool CHAOTIC> __device__ __forceinline__ void gemv_sweep(const struct patches_step &step)
{
	const struct patches_box *box = step.box + step.first + blockIdx.x;
	const int32_t blocks = box->blocks[0] * box->blocks[1] * box->blocks[2];

	for (int32_t index = 0; index < blocks; index++) {
		relax_block<CHAOTIC, true>(step, box, index);
		__syncthreads();
	}
}

/* (A): a thread block takes several spatial blocks; threads along x are the cells of one. */
template <bool CHAOTIC> __device__ __forceinline__ void gemv_a(const struct patches_step &step)
{
	const int32_t index = (int32_t)(blockIdx.x * blockDim.y + threadIdx.y);
	double *r = dynamic_shared + threadIdx.y * blockDim.x;
	const bool there = index < step.blocks;
	const struct patches_box *box =
		patches_find(step, there ? index : 0, step.blocks, patches_first_block());
	const struct patches_block b = patches_block_of(
		&step, box,
		there ? index - (box->first_block - step.box[step.first].first_block) : 0);
	const int32_t cell = (int32_t)threadIdx.x;
	struct spot s = spot_of(b, cell % b.n[0], cell / b.n[0] % b.n[1], cell / (b.n[0] * b.n[1]));

	s.inside = s.inside && there;
	if (s.inside)
		r[s.cell] = residual<CHAOTIC>(step, box, b, s);
	__syncthreads();
	if (s.inside)
		advance<CHAOTIC, true>(
			step, box, b, s,
			product(step.inverse + box->inverse[b.cut], r, b.cells, s.cell));
}

/* (B): a thread block is a slice of a spatial block, and sweeps through it. */
template <bool CHAOTIC> __device__ __forceinline__ void gemv_b(const struct patches_step &step)
{
	const int32_t index = (int32_t)blockIdx.x;
	const struct patches_box *box =
		patches_find(step, index, step.blocks, patches_first_block());
	const struct patches_block b = patches_block_of(
		&step, box, index - (box->first_block - step.box[step.first].first_block));

	for (int32_t k = 0; k < b.n[2]; k++) {
		const struct spot s = spot_of(b, (int32_t)threadIdx.x, (int32_t)threadIdx.y, k);

		if (s.inside)
			dynamic_shared[s.cell] = residual<CHAOTIC>(step, box, b, s);
	}
	__syncthreads();
	for (int32_t k = 0; k < b.n[2]; k++) {
		const struct spot s = spot_of(b, (int32_t)threadIdx.x, (int32_t)threadIdx.y, k);

		if (s.inside)
			advance<CHAOTIC, true>(step, box, b, s,
					       product(step.inverse + box->inverse[b.cut],
						       dynamic_shared, b.cells, s.cell));
	}
}

/* Step 4 of Algorithm 3: u += v, by tiles. */
__device__ __forceinline__ void advance_tiles(const struct patches_step &step)
{
	const int32_t index = (int32_t)blockIdx.x, side = step.side;
	const struct patches_box *box = patches_find(step, index, step.tiles, patches_first_tile());
	int32_t tile = index - (box->first_tile - step.box[step.first].first_tile);
	const int32_t across = patches_ceil(box->n[0], side),
		      down = patches_ceil(box->n[1], PATCHES_TILE_THREADS / side);
	const int32_t i = tile % across * side + (int32_t)threadIdx.x % side;
	tile /= across;
	const int32_t j = tile % down * (PATCHES_TILE_THREADS / side) + (int32_t)threadIdx.x / side;
	tile /= down;
	double *u = (double *)step.u + box->origin;
	const double *v = step.v + box->origin;

	for (int32_t k = tile * PATCHES_TILE; k < (tile + 1) * PATCHES_TILE; k++)
		if (i < box->n[0] && j < box->n[1] && k < box->n[2]) {
			const int64_t at = (int64_t)k * box->plane + (int64_t)j * box->pitch + i;
			u[at] += v[at];
		}
}

#define CELLS 1024
PATCHES_KERNEL(patches_gemv_c, CELLS, 1, (gemv_c<false, true>), patches_gemv_c_geometry)
PATCHES_KERNEL(patches_gemv_c_chaotic, CELLS, 1, (gemv_c<true, true>), patches_gemv_c_geometry)
PATCHES_KERNEL(patches_gemv_split, CELLS, 1, (gemv_c<false, false>), patches_gemv_c_geometry)
PATCHES_KERNEL(patches_gemv_sweep, CELLS, 1, gemv_sweep<false>, patches_gemv_sweep_geometry)
PATCHES_KERNEL(patches_gemv_sweep_chaotic, CELLS, 1, gemv_sweep<true>, patches_gemv_sweep_geometry)
PATCHES_KERNEL(patches_gemv_a, PATCHES_GROUP_THREADS, 1, gemv_a<false>, patches_gemv_a_geometry)
PATCHES_KERNEL(patches_gemv_a_chaotic, PATCHES_GROUP_THREADS, 1, gemv_a<true>,
	       patches_gemv_a_geometry)
PATCHES_KERNEL(patches_gemv_b, CELLS, 1, gemv_b<false>, patches_gemv_b_geometry)
PATCHES_KERNEL(patches_gemv_b_chaotic, CELLS, 1, gemv_b<true>, patches_gemv_b_geometry)
PATCHES_KERNEL(patches_advance, PATCHES_TILE_THREADS, 1, advance_tiles, patches_advance_geometry)

extern "C" const struct cuda_kernel patches_gemv_kernels[] = {
	{ "patches_gemv_c", launch_patches_gemv_c },
	{ "patches_gemv_c_chaotic", launch_patches_gemv_c_chaotic },
	{ "patches_gemv_split", launch_patches_gemv_split },
	{ "patches_gemv_sweep", launch_patches_gemv_sweep },
	{ "patches_gemv_sweep_chaotic", launch_patches_gemv_sweep_chaotic },
	{ "patches_gemv_a", launch_patches_gemv_a },
	{ "patches_gemv_a_chaotic", launch_patches_gemv_a_chaotic },
	{ "patches_gemv_b", launch_patches_gemv_b },
	{ "patches_gemv_b_chaotic", launch_patches_gemv_b_chaotic },
	{ "patches_advance", launch_patches_advance },
	{ 0, 0 },
};
