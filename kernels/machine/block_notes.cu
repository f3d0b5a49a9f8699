/* SPDX-License-Identifier: MIT
 * Memory for the notes of blocks, and their way to the recorder. Only in
 * libwarpreel-cuda-blocks.so.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_note_id.cuh"
#include "block_notes.h"
#include "machine.h"
extern "C" {
#include "traces/base/util.h"
}

#define CUDA_KERNELS(table) extern "C" const struct cuda_kernel table[];
#include "cuda_kernels.def"
#undef CUDA_KERNELS

static const struct cuda_kernel *const kernel_tables[] = {
#define CUDA_KERNELS(table) table,
#include "cuda_kernels.def"
#undef CUDA_KERNELS
};

/* Launches without notes take numbers, too: more slots than launches wanted, so that two of those
 * seldom share one. */
enum { SLOTS_A_LAUNCH = 4, MAX_GPUS = 64 };
static const size_t MEMORY_BYTES = (size_t)256 << 20; /* on each GPU */

static struct {
	struct block_note_target target[MAX_GPUS];
	uint32_t gpus, launches;
} notes;
static struct block_note_file *files; /* files with kernels, linked before main */

block_note_file::block_note_file(int (*aim_)(const struct block_note_target *target),
				 const char *name_)
    : aim(aim_), name(name_), next(files)
{
	files = this;
}

static const char *kernel_name(uint32_t id)
{
	for (size_t i = 0; i < sizeof(kernel_tables) / sizeof(kernel_tables[0]); i++)
		for (const struct cuda_kernel *kernel = kernel_tables[i]; kernel->name; kernel++)
			if (block_note_id(kernel->name) == id)
				return kernel->name;
	return "(a kernel of no table)";
}

static int begin_gpu(uint32_t gpu)
{
	struct block_note_target *target = &notes.target[gpu];
	void *memory = NULL;

	uint32_t slots = SLOTS_A_LAUNCH;
	while (slots < notes.launches * SLOTS_A_LAUNCH)
		slots *= 2;
	target->slot_mask = slots - 1;
	target->warps_a_slot = (uint32_t)(MEMORY_BYTES / sizeof(struct block_note_warp) / slots);
	const size_t bytes = (size_t)slots * target->warps_a_slot * sizeof(struct block_note_warp);
	cudaError_t error = cudaSetDevice((int)gpu);
	if (!error)
		error = cudaMalloc(&memory, bytes);
	if (!error)
		error = cudaMemset(memory, 0, bytes);
	target->warp = (struct block_note_warp *)memory;
	if (error)
		return report("notes of blocks on GPU %u: %s", gpu, cudaGetErrorString(error));
	for (struct block_note_file *file = files; file; file = file->next) {
		error = (cudaError_t)file->aim(target);
		if (error)
			return report("notes of blocks on GPU %u: %s: %s", gpu, file->name,
				      cudaGetErrorString(error));
	}
	error = cudaDeviceSynchronize();
	return error ? report("notes of blocks on GPU %u: %s", gpu, cudaGetErrorString(error)) : 0;
}

static int notes_begin(uint32_t gpus, uint32_t launches)
{
	if (gpus > MAX_GPUS)
		return report("notes of blocks on %u GPUs: at most %d", gpus, (int)MAX_GPUS);
	notes.gpus = gpus;
	notes.launches = launches;
	for (uint32_t gpu = 0; gpu < gpus; gpu++)
		if (begin_gpu(gpu))
			return -1;
	return 0;
}

static int compare_first(const void *a, const void *b)
{
	const struct block_note_launch *x = (const struct block_note_launch *)a,
				       *y = (const struct block_note_launch *)b;

	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

static void hand_over(const struct warpreel_annotate *annotate, uint32_t gpu,
		      const struct block_note_launch *launch)
{
	struct note_blocks blocks;

	memset(&blocks, 0, sizeof(blocks));
	snprintf(blocks.kernel, sizeof(blocks.kernel), "%s", kernel_name(launch->kernel));
	blocks.device = gpu;
	blocks.grid = launch->grid;
	blocks.grid_blocks = launch->grid_blocks;
	blocks.count = launch->count;
	blocks.block = launch->block;
	annotate->blocks(&blocks);
}

/* One slot at a time: the notes of a GPU need not fit twice. */
static int end_gpu(const struct warpreel_annotate *annotate, uint32_t gpu)
{
	const struct block_note_target *target = &notes.target[gpu];
	const uint32_t slots = target->slot_mask + 1;
	struct block_note_launch *launch =
		(struct block_note_launch *)xcalloc(slots, sizeof(*launch));
	struct block_note_warp *warp =
		(struct block_note_warp *)xcalloc(target->warps_a_slot, sizeof(*warp));
	size_t count = 0;
	cudaError_t error = cudaSetDevice((int)gpu);

	if (!error)
		error = cudaDeviceSynchronize();
	for (uint32_t slot = 0; !error && slot < slots; slot++) {
		error = cudaMemcpy(warp, target->warp + (size_t)slot * target->warps_a_slot,
				   target->warps_a_slot * sizeof(*warp), cudaMemcpyDeviceToHost);
		if (!error)
			count += (size_t)block_notes_join(warp, target->warps_a_slot,
							  &launch[count]);
	}
	qsort(launch, count, sizeof(*launch), compare_first);
	for (size_t i = 0; i < count; i++) {
		if (!error && i + notes.launches >= count)
			hand_over(annotate, gpu, &launch[i]);
		free(launch[i].block);
	}
	free(launch);
	free(warp);
	return error ? report("notes of blocks on GPU %u: %s", gpu, cudaGetErrorString(error)) : 0;
}

static int notes_end(void)
{
	const struct warpreel_annotate *annotate = machine_annotate();
	int result = 0;

	if (!annotate)
		report_warning("nobody records: the notes of blocks are lost (warpreel record -o "
			       "FILE -- ...)");
	for (uint32_t gpu = 0; gpu < notes.gpus; gpu++) {
		if (annotate && end_gpu(annotate, gpu))
			result = -1;
		struct block_note_target none = {
			NULL, 0, 0
		}; /* no warp has room: later launches note nothing */

		if (!cudaSetDevice((int)gpu)) {
			for (struct block_note_file *file = files; file; file = file->next)
				(void)file->aim(&none);
			(void)cudaFree(notes.target[gpu].warp);
		}
	}
	notes.gpus = 0;
	return result;
}

extern "C" const struct warpreel_block_notes *warpreel_block_notes_table(void)
{
	static const struct warpreel_block_notes table = { WARPREEL_BLOCK_NOTES_ABI, notes_begin,
							   notes_end };

	return &table;
}
