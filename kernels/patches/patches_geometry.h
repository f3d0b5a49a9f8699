/* SPDX-License-Identifier: MIT
 * Grid and block of the CUDA kernels from their arguments: the launchers call these, and plans do,
 * so that both agree.
 */
#ifndef WARPREEL_PATCHES_GEOMETRY_H
#define WARPREEL_PATCHES_GEOMETRY_H

#include "kernels/machine/machine.h"
#include "patches.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A side of a block at most; a block's cells at most, of GPU kernels with a thread a cell. */
enum { PATCHES_SIDE_MOST = 64, PATCHES_GHOST_THREADS = 256, PATCHES_GROUP_THREADS = 512 };

PATCHES_INLINE int32_t patches_ceil(int32_t value, int32_t by)
{
	return (value + by - 1) / by;
}

/* Tiles of patches_sine in a patch. */
PATCHES_INLINE int64_t patches_tiles(const int32_t n[3], int32_t side)
{
	return (int64_t)patches_ceil(n[0], side) * patches_ceil(n[1], PATCHES_TILE_THREADS / side) *
	       patches_ceil(n[2], PATCHES_TILE);
}

/* With a dense inverse, steps are the cells of a block, through which a thread goes in its product.
 * packed: a thread a few columns, steps are their cells. */
void patches_gemv_a_geometry(const void *args, struct launch_geometry *geometry);
void patches_gemv_b_geometry(const void *args, struct launch_geometry *geometry);
void patches_gemv_c_geometry(const void *args, struct launch_geometry *geometry);
void patches_gemv_sweep_geometry(const void *args, struct launch_geometry *geometry);
void patches_packed_geometry(const void *args, struct launch_geometry *geometry);
/*
 * A block of threads relaxes a bar of cells: `side` cells along x (8, 16 or 32: the fewest that
 * leave no more idle), PATCHES_TILE_THREADS / side along y, PATCHES_TILE along z. Patches are cut
 * into such bars from their first cell on.
 */
void patches_sine_geometry(const void *args, struct launch_geometry *geometry);
/* A block of threads relaxes a patch, `steps` times. */
void patches_steps_geometry(const void *args, struct launch_geometry *geometry);
void patches_advance_geometry(const void *args, struct launch_geometry *geometry);
void patches_ghosts_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
