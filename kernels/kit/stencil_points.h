/* SPDX-License-Identifier: MIT
 * What a kernel gets that updates a rectangle of a part from one buffer to another, a point a
 * thread, and how it is laid over the GPU. CPU, GPU and plan share it.
 */
#ifndef WARPREEL_STENCIL_POINTS_H
#define WARPREEL_STENCIL_POINTS_H

#include <stdint.h>

#include "traces/schedule/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first member of a kernel's arguments. Indices are local to the part. */
struct stencil_points {
	const void *u;					      /* the old values */
	void *v;					      /* the new ones */
	int64_t pitch;					      /* elements between rows of both */
	int32_t row_begin, row_end, column_begin, column_end; /* neighbours exist */
};

enum { STENCIL_BLOCK_COLUMNS = 64, STENCIL_BLOCK_ROWS = 4 };
enum { STENCIL_BLOCK_THREADS = STENCIL_BLOCK_COLUMNS * STENCIL_BLOCK_ROWS };
/* For struct machine_launch: args begin with struct stencil_points. */
void stencil_points_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
