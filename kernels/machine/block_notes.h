/* SPDX-License-Identifier: MIT
 * Notes of blocks: what warps leave in device memory (block_note_on.cuh), what becomes of it
 * (block_notes.c), and the table that libwarpreel-cuda-blocks.so exports beside that of
 * libwarpreel-cuda.so (block_notes.cu).
 */
#ifndef WARPREEL_BLOCK_NOTES_H
#define WARPREEL_BLOCK_NOTES_H

#include <stddef.h>
#include <stdint.h>
#include "traces/format/annotate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One warp of one launch. */
struct block_note_warp {
	uint64_t grid; /* number of the launch on its device */
	uint64_t begin_ns, begin_clock, end_ns,
		end_clock; /* the end is written last: less than the begin in a warp that never got
			      there */
	uint32_t kernel, block, grid_blocks, sm; /* kernel: block_note_id of its name */
	uint64_t unused;
};

/* Where they go: a launch into slot grid & slot_mask, warp by warp. */
struct block_note_target {
	struct block_note_warp *warp;	  /* slot_mask + 1 times warps_a_slot */
	uint32_t slot_mask, warps_a_slot; /* slot_mask: a power of two less one, for a kernel to
					     take no division */
};

/* A launch, its warps joined to blocks. */
struct block_note_launch {
	uint64_t grid, grid_blocks, first_ns;
	uint32_t kernel;
	struct note_block *block; /* owned; ascending */
	size_t count;
};

/* The launch of a slot that began last; 0 when there is none. What earlier launches left there is
 * not taken for it. */
int block_notes_join(const struct block_note_warp *warp, size_t count,
		     struct block_note_launch *launch);

#define WARPREEL_BLOCK_NOTES_ABI 1
struct warpreel_block_notes {
	int abi;
	/* Of each of the first `gpus` GPUs, keep notes of the last `launches` launches at least. -1
	 * after a message. */
	int (*begin)(uint32_t gpus, uint32_t launches);
	/* Hands what was written down to the recorder and gives the memory back. */
	int (*end)(void);
};
typedef const struct warpreel_block_notes *
warpreel_block_notes_entry(void); /* symbol "warpreel_block_notes_table" */

#ifdef __cplusplus
}

/* A .cu file with kernels that note: how to aim them, on the current GPU. Links itself into a list
 * before main. */
struct block_note_file {
	int (*aim)(const struct block_note_target *target); /* returns a cudaError_t */
	const char *name;
	struct block_note_file *next;
	block_note_file(int (*aim)(const struct block_note_target *target), const char *name);
};
#endif
#endif
