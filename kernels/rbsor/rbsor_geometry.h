/* SPDX-License-Identifier: MIT
 * How the red-black SOR kernels are laid over the GPU: one computation, which the CUDA launchers
 * obey and a plan writes down.
 */
#ifndef WARPREEL_RBSOR_GEOMETRY_H
#define WARPREEL_RBSOR_GEOMETRY_H

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
enum { TUNED_BLOCK_THREADS = 128 };

/* For struct machine_launch: args are struct rbsor_sweep. A sweep over nothing has a grid of 0
 * blocks. path: rows a thread. */
void rbsor_tuned_f32_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_tuned_f64_geometry(const void *args, struct launch_geometry *geometry);
void rbsor_paper_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
