/* SPDX-License-Identifier: MIT */
#include "rbsor_geometry.h"

#include <string.h>

#include "kernels/kit/launch_shape.h"

enum { SMS = 132 };

/* Points of a tile that are its own, along a side of `points`. */
static uint32_t own(uint32_t points)
{
	return points - 2 * PERSISTENT_OVERLAP;
}

const struct rbsor_persistent_kernel *rbsor_persistent_kernel_of(int64_t rows, int64_t columns)
{
	static const struct rbsor_persistent_kernel kernels[] = {
#define PERSISTENT(rows)                                                                           \
	{ { { "rbsor_persistent" #rows "_f32", "rbsor_persistent" #rows "_f64" } }, rows },
#define RESIDENT(rows)                                                                             \
	{ { { "rbsor_persistent" #rows "_f32", "rbsor_persistent" #rows "_f64" },                  \
	    { "rbsor_resident" #rows "_f32", "rbsor_resident" #rows "_f64" } },                    \
	  rows },
#include "rbsor_persistent.def"
#undef PERSISTENT
#undef RESIDENT
	};
	const int64_t across = (columns + own(PERSISTENT_COLUMNS) - 1) / own(PERSISTENT_COLUMNS);

	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		const int64_t high = own(PERSISTENT_WARPS * (uint32_t)kernels[k].rows);

		if (across * ((rows + high - 1) / high) <= SMS && rows > kernels[k].rows)
			return &kernels[k];
	}
	return NULL;
}

void rbsor_persistent_geometry(const void *args, struct launch_geometry *geometry)
{
	const struct rbsor_loop *loop = args;
	const struct rbsor_persistent_kernel *kernel =
		rbsor_persistent_kernel_of(loop->rows, loop->columns);

	memset(geometry, 0, sizeof(*geometry));
	if (!kernel)
		return;
	const int32_t each = kernel->rows;
	launch_shape(geometry,
		     launch_divide_up((uint32_t)loop->columns, own(PERSISTENT_COLUMNS)) *
			     launch_divide_up((uint32_t)loop->rows,
					      own(PERSISTENT_WARPS * (uint32_t)each)),
		     1, 32 * PERSISTENT_WARPS, 1, 0);
	geometry->steps = loop->iterations;
}
