/* SPDX-License-Identifier: MIT
 * Included before every .cu file of a solver, unless block_note_on.cuh is: a kernel's note of its
 * blocks, which is nothing.
 */
#ifndef WARPREEL_BLOCK_NOTE_CUH
#define WARPREEL_BLOCK_NOTE_CUH

#include <cuda_runtime.h>
#include "block_note_id.cuh"

/* First line of a kernel: block_note<block_note_id("its name")> note; */
template <uint32_t KERNEL> struct block_note {
	__device__ __forceinline__ block_note()
	{
	}
	__device__ __forceinline__ ~block_note()
	{
	}
};

#endif
