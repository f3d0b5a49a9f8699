/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR with whole regions staged in shared memory. What it does about what holds tuned
 * back, where a thread has one fetch under way and 128 registers:
 *
 *   - all of a region is under way at once, by asynchronous copies that take no registers, so that
 *     a multiprocessor has as many blocks as its shared memory holds regions;
 *   - a tile is made layer by layer, row by row, with three rows in registers: 16x16 tiles fit, and
 *     the loop is short enough to be kept by an instruction cache;
 *   - K12 and K21 of one region are made from one fetch of it, each by its own warps;
 *   - at an edge of the mesh lanes are told which points are theirs, so that edges take little more
 *     than other blocks.
 *
 * A point still finds its lower neighbours with the layer it gets and its upper ones with the layer
 * before, which is all that lexicographic order says.
 */
#define MLSSOR_BOUND MLSSOR_STAGED_THREADS
#ifndef MLSSOR_STAGED_AT_ONCE
#define MLSSOR_STAGED_AT_ONCE 2
#endif
#include "mlssor_staged.cuh"

#define STAGED_KERNEL(kernel_name, row, column, side, fused, blocks)                               \
	extern "C" __global__ void __launch_bounds__((1 + fused) * MLSSOR_BOUND, blocks)           \
		kernel_name(const struct mlssor_sweep sweep)                                       \
	{                                                                                          \
		block_note<block_note_id(MLSSOR_STRING(kernel_name))> note;                        \
		staged_block<row, column, side, fused>(sweep);                                     \
	}
#define STAGED_KERNELS(name, side, blocks)                                                         \
	STAGED_KERNEL(name(, , 11), 0, 0, side, false, blocks)                                     \
	STAGED_KERNEL(name(, , 12), 0, 1, side, false, blocks)                                     \
	STAGED_KERNEL(name(, , 21), 1, 0, side, false, blocks)                                     \
	STAGED_KERNEL(name(, , 22), 1, 1, side, false, blocks)                                     \
	STAGED_KERNEL(name(, , 1221), 0, 0, side, true, (blocks + 1) / 2)

#define NAME_4(kernel, form, tile) mlssor_staged4_##tile
#define NAME_8(kernel, form, tile) mlssor_staged8_##tile
#define NAME_16(kernel, form, tile) mlssor_staged16_##tile
STAGED_KERNELS(NAME_4, 4, 12)
STAGED_KERNELS(NAME_8, 8, 7)
STAGED_KERNELS(NAME_16, 16, 2)

extern "C" const struct cuda_kernel mlssor_staged_kernels[] = {
	MLSSOR_LAUNCHERS(NAME_4, , , mlssor_staged_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_8, , , mlssor_staged_geometry) /**/
	MLSSOR_LAUNCHERS(NAME_16, , , mlssor_staged_geometry){ 0, 0 },
};
