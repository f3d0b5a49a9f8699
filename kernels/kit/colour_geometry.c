/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "colour_layout.h"
#include "launch_shape.h"

void colour_layout_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct colour_layout_args *layout = args;

	memset(geometry, 0, sizeof(*geometry));
	if (layout->columns > 0 && layout->strip_rows > 0)
		launch_shape(
			geometry,
			launch_divide_up(((uint32_t)layout->columns + 1) / 2, LAYOUT_BLOCK_THREADS),
			(uint32_t)layout->strip_rows, LAYOUT_BLOCK_THREADS, 1, 0);
}
