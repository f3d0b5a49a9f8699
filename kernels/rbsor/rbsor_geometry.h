/* SPDX-License-Identifier: MIT
 * How the red-black SOR kernels are laid over the GPU: one computation, which the CUDA launchers
 * obey and a plan writes down.
 */
#ifndef WARPREEL_RBSOR_GEOMETRY_H
#define WARPREEL_RBSOR_GEOMETRY_H

#include <stdbool.h>

#include "traces/schedule/schedule.h"
#include "rbsor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PAPER_TILE_COLUMNS = 112,
	PAPER_TILE_ROWS = 4,
	PAPER_STEP_COLUMNS = PAPER_TILE_COLUMNS - 2,
	PAPER_STEP_ROWS = PAPER_TILE_ROWS - 2
};
enum { TUNED_BLOCK_THREADS = 128, RIM_BLOCK_THREADS = 128 };

/* For struct machine_launch: args are struct rbsor_sweep. A sweep over nothing has a grid of 0
 * blocks. path: rows a thread. */
void rbsor_tuned_f32_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_tuned_f64_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_paper_geometry(const void *args, struct launch_geometry *geometry);

/* args are struct rbsor_rim: a thread a point of the colour, the second row of blocks for the last
 * row. */
void rbsor_rim_geometry(const void *args, struct launch_geometry *geometry);

/* Of the kernels of rbsor_passes.def and rbsor_trapezoids.def, by their depth: args are struct
 * rbsor_pass. A warp has a tile, at most PASS_TILES of them beside each other make a block; steps:
 * those of a warp. The *_chunk_* return the rows of a chunk. */
enum { PASS_TILES = 4 };
void rbsor_pass_f32_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_pass_f64_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_trapezoid_f32_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_trapezoid_f64_geometry(const void *args, struct launch_geometry *geometry);
int32_t rbsor_pass_chunk_f32(const void *args, struct launch_geometry *geometry);
int32_t rbsor_pass_chunk_f64(const void *args, struct launch_geometry *geometry);
int32_t rbsor_trapezoid_chunk_f32(const void *args, struct launch_geometry *geometry);
int32_t rbsor_trapezoid_chunk_f64(const void *args, struct launch_geometry *geometry);

/*
 * Of rbsor_persistent*: args are struct rbsor_loop. A block of PERSISTENT_WARPS warps below each
 * other holds a tile of PERSISTENT_COLUMNS columns, of which the outermost PERSISTENT_OVERLAP
 * points are its neighbours'. steps: iterations.
 */
enum { PERSISTENT_WARPS = 8, PERSISTENT_COLUMNS = 128, PERSISTENT_OVERLAP = 2 * PERSISTENT_DEPTH };
/* A word a block; in rbsor_resident*, the same otherwise, a line of 128 bytes a warp. */
enum { PERSISTENT_FLAGS_BYTES = 1024, RESIDENT_FLAGS_BYTES = 132 * PERSISTENT_WARPS * 128 };
struct rbsor_persistent_kernel {
	const char *name[2][2]; /* [resident][f64]; NULL: none */
	int32_t rows;		/* that a warp holds */
};
/* NULL: a GPU of 132 SMs does not hold the grid, or one warp would hold both its first and its last
 * row. */
const struct rbsor_persistent_kernel *rbsor_persistent_kernel_of(int64_t rows, int64_t columns);
void rbsor_persistent_geometry(const void *args, struct launch_geometry *geometry);

/* A kernel of rbsor_passes.def or rbsor_trapezoids.def. */
struct rbsor_pass_kernel {
	const char *name[2]; /* [f64] */
	void (*geometry[2])(const void *args, struct launch_geometry *geometry);
	int32_t depth;
	struct rbsor_pass_shape {
		int32_t lanes, rows, blocks;
	} shape[2]; /* [f64] */
};
/* The deepest of at most `depth` iterations; depth >= 1. A trapezoid, where there is one. */
const struct rbsor_pass_kernel *rbsor_pass_kernel_of(int depth, bool trapezoid);

#ifdef __cplusplus
}
#endif
#endif
