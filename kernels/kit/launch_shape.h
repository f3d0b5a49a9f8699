/* SPDX-License-Identifier: MIT
 * How a launch is laid over the GPU: the arithmetic that geometries of kernels share.
 */
#ifndef WARPREEL_LAUNCH_SHAPE_H
#define WARPREEL_LAUNCH_SHAPE_H

#include "traces/schedule/schedule.h"

static inline uint32_t launch_divide_up(uint32_t value, uint32_t by)
{
	return (value + by - 1) / by;
}

/* A grid of grid_x x grid_rows blocks; rows beyond what the hardware takes in y fold into z. */
static inline void launch_shape(struct launch_geometry *geometry, uint32_t grid_x,
				uint32_t grid_rows, uint32_t block_x, uint32_t block_y,
				int32_t path)
{
	const uint32_t most = 65535, y = grid_rows < most ? grid_rows : most;
	const struct launch_geometry made = { { grid_x, y, y ? launch_divide_up(grid_rows, y) : 0 },
					      { block_x, block_y, 1 },
					      0,
					      path,
					      0 };

	*geometry = made;
}

#endif
