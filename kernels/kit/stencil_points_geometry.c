/* SPDX-License-Identifier: MIT */
#include "launch_shape.h"
#include "stencil_points.h"

void stencil_points_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct stencil_points *at = args;
	launch_shape(geometry,
		     launch_divide_up((uint32_t)(at->column_end - at->column_begin),
				      STENCIL_BLOCK_COLUMNS),
		     launch_divide_up((uint32_t)(at->row_end - at->row_begin), STENCIL_BLOCK_ROWS),
		     STENCIL_BLOCK_COLUMNS, STENCIL_BLOCK_ROWS, 0);
}
