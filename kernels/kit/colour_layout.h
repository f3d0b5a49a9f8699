/* SPDX-License-Identifier: MIT
 * Between rows as they are and rows split by the colours of a chessboard: what red-black solvers do
 * before their first iteration and after their last.
 *
 * LAYOUT_ROWS: row-major, `pitch` elements a row.
 * LAYOUT_SPLIT: each row holds its red half-row, then its black half-row, each pitch/2 elements.
 * Column j of global row i sits at index j >> 1 of half (i + j) & 1 (0 = red). A band of rows is
 * contiguous in both layouts. pitch is a multiple of 64 elements.
 *
 * Kernels and launches keep the names rbsor_split_* and rbsor_merge_*, under which they are
 * recorded.
 */
#ifndef WARPREEL_COLOUR_LAYOUT_H
#define WARPREEL_COLOUR_LAYOUT_H

#include <stdint.h>

#include "kernels/machine/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum grid_layout { LAYOUT_ROWS, LAYOUT_SPLIT };
enum { LAYOUT_BLOCK_THREADS = 256 };

/* Arguments of rbsor_split_{f32,f64} (row-major `rows_grid` -> split `grid`) and
 * rbsor_merge_{f32,f64} (back). */
struct colour_layout_args {
	void *rows_grid, *grid;
	int64_t rows_pitch, pitch; /* elements */
	int32_t columns, strip_rows, first_row;
};

/* CPU implementations: args point to the struct above. */
void colour_split_f32_cpu(const void *args);
void colour_split_f64_cpu(const void *args);
void colour_merge_f32_cpu(const void *args);
void colour_merge_f64_cpu(const void *args);
void colour_layout_geometry(const void *args, struct launch_geometry *geometry);

/* What one launch moves: `rows` rows between two buffers of one GPU. */
struct colour_layout {
	uint32_t rows_buffer, split_buffer;
	int64_t rows, columns, first_row;
	int64_t pitch; /* elements of a split row; rows as they are have none beyond `columns` */
	bool f64;
};
int colour_layout_launch(struct machine_thread *t, uint32_t stream,
			 const struct colour_layout *layout, bool splits);

#ifdef __cplusplus
}
#endif
#endif
