/* SPDX-License-Identifier: MIT
 * A kernel's name as a number that a template can take: FNV-1a.
 */
#ifndef WARPREEL_BLOCK_NOTE_ID_CUH
#define WARPREEL_BLOCK_NOTE_ID_CUH

#include <cuda_runtime.h>
#include <stdint.h>

__host__ __device__ constexpr uint32_t block_note_id(const char *name, uint32_t hash = 2166136261u)
{
	return *name ? block_note_id(name + 1, (hash ^ (uint32_t)(unsigned char)*name) * 16777619u)
		     : hash;
}

#endif
