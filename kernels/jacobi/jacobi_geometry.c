/* SPDX-License-Identifier: MIT */
#include "jacobi.h"

#include "kernels/kit/launch_shape.h"

/* A point a thread. */
void jacobi_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct jacobi_sweep *s = args;
	launch_shape(
		geometry,
		launch_divide_up((uint32_t)(s->column_end - s->column_begin), JACOBI_BLOCK_COLUMNS),
		launch_divide_up((uint32_t)(s->row_end - s->row_begin), JACOBI_BLOCK_ROWS),
		JACOBI_BLOCK_COLUMNS, JACOBI_BLOCK_ROWS, 0);
}
