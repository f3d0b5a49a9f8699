/* SPDX-License-Identifier: MIT
 * All steps of small patches that stand by themselves, in one launch: a thread block holds a patch
 * in shared memory, u and v with their ghost cells, and its warps relax the patch's octets as
 * patches_sine does. Between two steps the block waits for its own warps and for nobody else, where
 * a launch a step takes longer than such a patch does.
 */
#include "patches_octet.cuh"

/* The patch with its ghost cells, in pieces of 16 bytes; into both buffers, since the ghosts of
 * both are read. */
__device__ __forceinline__ void fetch_patch(double *u, double *v, const double *from,
					    int32_t elements)
{
	for (int32_t at = 2 * (int32_t)threadIdx.x; at < elements; at += 2 * (int32_t)blockDim.x) {
		const struct pair p = *(const struct pair *)(from + at);

		*(struct pair *)(u + at) = p;
		*(struct pair *)(v + at) = p;
	}
}

__device__ __forceinline__ void put_patch(const struct patches_box *box, double *to,
					  const double *v)
{
	const int32_t across = box->n[0], rows = box->n[1] * box->n[2];

	for (int32_t row = (int32_t)threadIdx.x / 32; row < rows; row += (int32_t)blockDim.x / 32) {
		const int32_t at = row / box->n[1] * box->plane + row % box->n[1] * box->pitch;

		for (int32_t i = (int32_t)threadIdx.x % 32; i < across; i += 32)
			to[at + i] = v[at + i];
	}
}

__device__ __forceinline__ void steps(const struct patches_step &step)
{
	extern __shared__ double dynamic_shared[];
	const struct patches_box *box = step.box + step.first + blockIdx.x;
	const int32_t warp = (int32_t)threadIdx.x / 32, lane = (int32_t)threadIdx.x % 32,
		      warps = (int32_t)blockDim.x / 32, before = patches_before(box),
		      elements = patches_elements(box), across = patches_ceil(box->n[0], 8),
		      down = patches_ceil(box->n[1], 8),
		      octets = across * down * patches_ceil(box->n[2], 8);
	double *u = dynamic_shared, *v = dynamic_shared + elements;

	fetch_patch(u, v, step.u + box->origin - before, elements);
	__syncthreads();
	for (int32_t k = 0; k < step.wave; k++) {
		for (int32_t index = warp; index < octets; index += warps) {
			struct octet o;

			o.box = box;
			o.pitch = box->pitch;
			o.plane = box->plane;
			o.diagonal = box->diagonal[0];
			o.at[0] = index % across * 8;
			o.at[1] = index / across % down * 8;
			o.at[2] = index / across / down * 8;
			o.row = lane / 4;
			o.column = lane % 4 * 2;
			const int32_t first =
				before + o.at[2] * o.plane + o.at[1] * o.pitch + o.at[0];
			if (octet_left(o))
				relax_octet<false, true>(step, o, u + first, v + first);
			else
				relax_octet<false, false>(step, o, u + first, v + first);
		}
		__syncthreads();
		double *kept = u;
		u = v;
		v = kept;
	}
	put_patch(box, (step.wave % 2 ? step.v : (double *)step.u) + box->origin, u + before);
}

PATCHES_KERNEL(patches_steps, PATCHES_STEPS_THREADS, 1, steps, patches_steps_geometry)

extern "C" const struct cuda_kernel patches_steps_kernels[] = {
	{ "patches_steps", launch_patches_steps },
	{ 0, 0 },
};
