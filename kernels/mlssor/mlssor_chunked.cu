/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR as mlssor_staged.cu has it, of 16x16 subdomains alone, with shared memory read
 * and written four words at a time (mlssor_chunked.cuh). A region takes 516 words a row instead of
 * 544, a tile about half of staged's instructions.
 */
#define MLSSOR_BOUND MLSSOR_STAGED_THREADS
#ifndef MLSSOR_STAGED_AT_ONCE
#define MLSSOR_STAGED_AT_ONCE 2
#endif
#ifndef MLSSOR_CHUNKED_AT_ONCE
#define MLSSOR_CHUNKED_AT_ONCE 3
#endif
#include "mlssor_chunked.cuh"

#define CHUNKED_KERNEL(kernel_name, row, column, fused, blocks)                                    \
	extern "C" __global__ void __launch_bounds__((1 + fused) * MLSSOR_BOUND, blocks)           \
		kernel_name(const struct mlssor_sweep sweep)                                       \
	{                                                                                          \
		block_note<block_note_id(MLSSOR_STRING(kernel_name))> note;                        \
		chunk_block<row, column, fused>(sweep);                                            \
	}

#define NAME_16(kernel, form, tile) mlssor_chunked16_##tile
CHUNKED_KERNEL(NAME_16(, , 11), 0, 0, false, 2)
CHUNKED_KERNEL(NAME_16(, , 12), 0, 1, false, 2)
CHUNKED_KERNEL(NAME_16(, , 21), 1, 0, false, 2)
CHUNKED_KERNEL(NAME_16(, , 22), 1, 1, false, 2)
CHUNKED_KERNEL(NAME_16(, , 1221), 0, 0, true, 1)

extern "C" const struct cuda_kernel mlssor_chunked_kernels[] = {
	MLSSOR_LAUNCHERS(NAME_16, , , mlssor_chunked_geometry){ 0, 0 },
};
