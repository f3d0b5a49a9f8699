/* SPDX-License-Identifier: MIT
 * How the kernels of multi-layer SSOR are laid over the GPU: one computation, which the CUDA
 * launchers obey and a plan writes down.
 */
#ifndef WARPREEL_MLSSOR_GEOMETRY_H
#define WARPREEL_MLSSOR_GEOMETRY_H

#include "traces/schedule/schedule.h"
#include "mlssor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a block of a GPU of today may ask for: 227 KB of its multiprocessor's shared memory (CUDA
 * programming guide, compute capability 9.0). No more threads, so that a thread may have 128
 * registers. */
enum {
	MLSSOR_MOST_SHARED_BYTES = 232448,
	MLSSOR_MOST_THREADS = 512,
	MLSSOR_AHEAD_THREADS = 128,
	MLSSOR_STAGED_THREADS = 128
};

/*
 * For struct machine_launch: args are struct mlssor_sweep, a block is `threads` tiles of a row of
 * subdomains. path: height x 1000 + width of a subdomain, and the layers where they are not
 * floor(min(height, width) / 2) a million times: loops are as long as these say. Backward half a
 * million more: rows lie otherwise in sectors, and what is counted of one is not of the other.
 */
void mlssor_full_geometry(const void *args, struct launch_geometry *geometry);
void mlssor_rows_geometry(const void *args, struct launch_geometry *geometry);
void mlssor_tuned_geometry(const void *args, struct launch_geometry *geometry);
/* A block is 32 subdomains of each of threads / 32 rows; fused, with a thread for K12's tile and
 * one for K21's. */
void mlssor_staged_geometry(const void *args, struct launch_geometry *geometry);
/* The same, of 16x16 alone, with rows of the region as mlssor_chunked.cuh lays them out. */
void mlssor_chunked_geometry(const void *args, struct launch_geometry *geometry);
/* Chunked's, and staged's where K12 and K21 are one launch, with a column of blocks more, for
 * tiles at the left and right edge of the mesh. */
void mlssor_wavefront_geometry(const void *args, struct launch_geometry *geometry);

/* args are struct mlssor_colour. path: points a thread, rows x 1000 + columns. */
void mlssor_redblack_geometry(const void *args, struct launch_geometry *geometry);

/*
 * Bytes of shared memory of a block of `threads` tiles of height x width subdomains. A tile is
 * height
 * + 1 rows (rows_only: 3) of width columns; one column more is the next tile's first, and the
 * block's last tile has it to itself. So 4 n (n + 1) bytes a thread (Table III) and 4 (n + 1) a
 * block; the rest of the constants there (404 - 320 = 84 bytes, 1260 - 1152 = 108) is not derived.
 */
int64_t mlssor_shared_bytes(int64_t height, int64_t width, int64_t threads, int rows_only);

#ifdef __cplusplus
}
#endif
#endif
