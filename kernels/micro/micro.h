/* SPDX-License-Identifier: MIT
 * Microkernels: small kernels that each press on one part of a GPU, written for testing models of
 * kernel time.
 *
 * Each comes as a CUDA kernel and its twin in plain C. Where products are added, both say fma()
 * themselves (CUDA: --fmad=false, C: -ffp-contract=off), so that all but those that use the
 * special-function unit agree to the last bit.
 */
#ifndef WARPREEL_MICRO_H
#define WARPREEL_MICRO_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/schedule/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MICRO_INPUTS = 4, MICRO_BUFFERS = MICRO_INPUTS + 1 /* the last is the output */ };
enum { MICRO_TILE = 32, MICRO_BLOCK_MAX = 1024, MICRO_REDUCE_ITEMS = 4 /* elements a thread */ };

/* Arguments of every microkernel. */
struct micro_args {
	void *in[MICRO_INPUTS], *out; /* inputs that a kernel does not have are NULL */
	int64_t n;		      /* elements, or of one side */
	int32_t work;  /* what the option `work` means to this kernel: loop length, stride, bins */
	int32_t block; /* threads a block */
	double scale;
};

enum micro_fill {
	FILL_ZERO,
	FILL_F32,
	FILL_F64, /* [0, 1) */
	FILL_U32,
	FILL_BELOW, /* uint32_t below range */
	FILL_ORDER, /* a permutation of [0, count) in random order, int32_t */
	FILL_STEPS, /* rising from 0, range apart but for a random part of it, int32_t */
};

/* Arguments of micro_fill: start values made on the device, the same as on the host. */
struct micro_fill_args {
	void *out;
	int64_t count, range;
	uint64_t seed;
	int32_t kind; /* enum micro_fill */
};

/* What a kernel wants of one buffer. count 0: it has none there. */
struct micro_buffer {
	int64_t count, range;
	int word_bytes;
	enum micro_fill fill;
	uint32_t mode; /* enum access_mode */
	bool integer;  /* an output of uint32_t, not of floating point */
};

struct micro_kernel {
	const char *name;   /* as the option has it: "copy4" */
	const char *launch; /* as launches have it: "micro_copy4" */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
	void (*buffers)(const struct micro_args *args, struct micro_buffer buffer[MICRO_BUFFERS]);
	int dimensions;				/* 1: n elements; 2: n x n; 3: n x n x n */
	int work_standard, work_low, work_high; /* 0: `work` means nothing to it */
	double tolerance; /* relative, between GPU and twin; 0: to the last bit */
};

extern const struct micro_kernel
	*const micro_kernels[]; /* NULL-terminated, made from micro_kernels.def */

void micro_fill_cpu(const void *args);
void micro_fill_geometry(const void *args, struct launch_geometry *geometry);

/* micro_geometry.c: one thread an element, the same with a loop of `work` steps, a tile of 32 x 32
 * a block, a tile of 32 x block / 32 a block, four elements a thread. */
void micro_items_geometry(const void *args, struct launch_geometry *geometry);
void micro_loop_geometry(const void *args, struct launch_geometry *geometry);
void micro_tile_geometry(const void *args, struct launch_geometry *geometry);
void micro_rows_geometry(const void *args, struct launch_geometry *geometry);
void micro_reduce_geometry(const void *args, struct launch_geometry *geometry);
/* For geometries: ceil(value / by). */
uint32_t micro_divide_up(int64_t value, int64_t by);

#ifdef __cplusplus
}
#endif
#endif
