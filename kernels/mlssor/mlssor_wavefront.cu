/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR as mlssor_chunked.cu has it, of 16x16 subdomains alone, with K12 and K21 of one
 * launch in registers and tiles at the edges of the mesh apart (mlssor_wavefront.cuh).
 */
#define MLSSOR_BOUND MLSSOR_STAGED_THREADS
#define MLSSOR_STAGED_AT_ONCE 2
#define MLSSOR_CHUNKED_AT_ONCE 3
#include "mlssor_wavefront.cuh"

#define WAVEFRONT_KERNEL(kernel_name, row, column, fused, blocks)                                  \
	extern "C" __global__ void __launch_bounds__((1 + fused) * MLSSOR_BOUND, blocks)           \
		kernel_name(const struct mlssor_sweep sweep)                                       \
	{                                                                                          \
		block_note<block_note_id(MLSSOR_STRING(kernel_name))> note;                        \
		wave_block<row, column, fused>(sweep);                                             \
	}

#define NAME_16(kernel, form, tile) mlssor_wavefront16_##tile
WAVEFRONT_KERNEL(NAME_16(, , 11), 0, 0, false, 2)
WAVEFRONT_KERNEL(NAME_16(, , 12), 0, 1, false, 2)
WAVEFRONT_KERNEL(NAME_16(, , 21), 1, 0, false, 2)
WAVEFRONT_KERNEL(NAME_16(, , 22), 1, 1, false, 2)
WAVEFRONT_KERNEL(NAME_16(, , 1221), 0, 0, true, 1)

extern "C" const struct cuda_kernel mlssor_wavefront_kernels[] = {
	MLSSOR_LAUNCHERS(NAME_16, , , mlssor_wavefront_geometry){ 0, 0 },
};
