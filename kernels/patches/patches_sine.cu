/* SPDX-License-Identifier: MIT
 * The inverse of every block by sine transforms, exactly: S D^-1 S along three axes, 96 flop a cell
 * in blocks of 8^3 where the dense inverse takes 1024. What is left is memory: u and f are read,
 * the new values written, 24 bytes a cell.
 *
 * A warp takes 8 x 8 x 8 cells, in which blocks of 1, 2, 4 or 8 cells along each axis lie whole. A
 * lane holds two columns of 8 cells along z, beside each other along x, so that rows are read in
 * pieces of 16 bytes and neighbours come from other lanes. Along z it transforms in registers.
 * Along x and y the planes are 8x8 matrices, which meet the transform's matrix on the tensor cores
 * as they lie: nothing goes through shared memory, and no warp waits for another.
 */
#include "patches_octet.cuh"

/* Of a multiprocessor, which leaves 168 registers a thread: the fastest of those tried
 * (docs/lab/kernels.md). */
enum { BLOCKS = 3 };

template <bool CHAOTIC> __device__ __forceinline__ void sine(const struct patches_step &step)
{
	const int32_t index = (int32_t)blockIdx.x, warp = (int32_t)threadIdx.x / 32,
		      lane = (int32_t)threadIdx.x % 32, side = step.side, wide = side / 8;
	const struct patches_box *box = patches_find(step, index, step.tiles, patches_first_tile());
	int32_t tile = index - (box->first_tile - step.box[step.first].first_tile);
	const int32_t across = patches_ceil(box->n[0], side),
		      down = patches_ceil(box->n[1], PATCHES_TILE_THREADS / side);
	struct octet o;

	o.box = box;
	o.pitch = box->pitch;
	o.plane = box->plane;
	o.diagonal = box->diagonal[0];
	o.at[0] = tile % across * side + warp % wide * 8;
	tile /= across;
	o.at[1] = tile % down * (PATCHES_TILE_THREADS / side) + warp / wide * 8;
	o.at[2] = tile / down * PATCHES_TILE;
	o.row = lane / 4;
	o.column = lane % 4 * 2;
	const int64_t first =
		box->origin + (int64_t)o.at[2] * o.plane + (int64_t)o.at[1] * o.pitch + o.at[0];
	if (octet_left(o))
		relax_octet<CHAOTIC, true>(step, o, step.u + first, step.v + first);
	else if (o.left[0] > 0 && o.left[1] > 0)
		relax_octet<CHAOTIC, false>(step, o, step.u + first, step.v + first);
}

PATCHES_KERNEL(patches_sine, PATCHES_SINE_THREADS, BLOCKS, sine<false>, patches_sine_geometry)
PATCHES_KERNEL(patches_sine_chaotic, PATCHES_SINE_THREADS, BLOCKS, sine<true>,
	       patches_sine_geometry)

extern "C" const struct cuda_kernel patches_sine_kernels[] = {
	{ "patches_sine", launch_patches_sine },
	{ "patches_sine_chaotic", launch_patches_sine_chaotic },
	{ 0, 0 },
};
