/* SPDX-License-Identifier: MIT
 * Included before every .cu file of a solver in libwarpreel-cuda-blocks.so: every warp notes its SM
 * and when it began and ended.
 *
 * A warp has a place of its own in memory, so notes need no atomics and no clearing, and nothing
 * lives in registers between the two: the destructor, which runs however the kernel returns,
 * computes the place anew. Which launch it is the device says itself
 * (%gridid, the number that the tracer has, too), so that launches on several streams do not mix
 * and the host has nothing to do between them. What an instrumented kernel takes longer: two stores
 * and a few clock reads a warp.
 */
#ifndef WARPREEL_BLOCK_NOTE_CUH
#define WARPREEL_BLOCK_NOTE_CUH

#include <cuda_runtime.h>
#include "block_note_id.cuh"
#include "block_notes.h"

/* One for each file, hence for each module of code: set before the first launch (block_notes.cu).
 */
static __constant__ struct block_note_target d_block_note_target;

static int block_note_aim(const struct block_note_target *target)
{
	return (int)cudaMemcpyToSymbol(d_block_note_target, target, sizeof(*target));
}
static struct block_note_file block_note_this_file(block_note_aim, __FILE__);

template <uint32_t KERNEL> struct block_note {
	/* Read anew each time: what the compiler would keep for the destructor could cost the
	 * kernel registers, and so resident blocks. */
#define BLOCK_NOTE_READ(name, special)                                                             \
	__device__ __forceinline__ static uint32_t name()                                          \
	{                                                                                          \
		uint32_t value;                                                                    \
                                                                                                   \
		asm volatile("mov.u32 %0, %%" special ";" : "=r"(value));                          \
		return value;                                                                      \
	}
	BLOCK_NOTE_READ(thread_x, "tid.x")
	BLOCK_NOTE_READ(thread_y, "tid.y")
	BLOCK_NOTE_READ(thread_z, "tid.z")
	BLOCK_NOTE_READ(block_x, "ctaid.x")
	BLOCK_NOTE_READ(block_y, "ctaid.y")
	BLOCK_NOTE_READ(block_z, "ctaid.z")
	BLOCK_NOTE_READ(sm, "smid")
#undef BLOCK_NOTE_READ

	__device__ __forceinline__ static uint64_t grid()
	{
		uint64_t id;

		asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
		return id;
	}

	__device__ __forceinline__ static uint32_t thread()
	{
		return thread_x() + blockDim.x * (thread_y() + blockDim.y * thread_z());
	}

	__device__ __forceinline__ static uint32_t block()
	{
		return block_x() + gridDim.x * (block_y() + gridDim.y * block_z());
	}

	/* Of the first lane of a warp; NULL: no room was left for it, nothing is instrumented, or
	 * it is another lane. */
	__device__ __forceinline__ static struct block_note_warp *place()
	{
		const struct block_note_target &target = d_block_note_target;
		const uint32_t at_thread = thread(),
			       warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;

		if (at_thread % 32)
			return 0;
		const uint64_t at = (uint64_t)block() * warps + at_thread / 32;
		if (at >= target.warps_a_slot)
			return 0;
		return target.warp +
		       ((uint64_t)((uint32_t)grid() & target.slot_mask) * target.warps_a_slot + at);
	}

	__device__ __forceinline__ block_note()
	{
		uint64_t ns, clock;

		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
		asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
		struct block_note_warp *note = place();
		if (!note)
			return;
		note->begin_ns = ns;
		note->begin_clock = clock;
		note->grid = grid();
		note->kernel = KERNEL;
		note->block = block();
		note->grid_blocks = gridDim.x * gridDim.y * gridDim.z;
		note->sm = sm();
	}

	__device__ __forceinline__ ~block_note()
	{
		uint64_t ns, clock;

		__syncwarp(); /* lanes that returned early wait for the others: the warp ends when
				 all have */
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
		asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
		struct block_note_warp *note = place();
		if (!note)
			return;
		note->end_ns = ns;
		note->end_clock = clock;
	}
};

#endif
