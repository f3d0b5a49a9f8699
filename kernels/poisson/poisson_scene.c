/* SPDX-License-Identifier: MIT
 * Pictures for those who name none: of any size, the same on every machine.
 */
#include <math.h>

#include "poisson.h"

static uint8_t grey(double value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lround(value));
}

void poisson_scene(struct poisson_pictures *s, int size)
{
	*s = (struct poisson_pictures){ 0 };
	image_make(&s->source, size, size, 1, 0);
	image_make(&s->mask, size, size, 1, 0);
	image_make(&s->target, size, size, 1, 0);
	for (int r = 0; r < size; r++)
		for (int c = 0; c < size; c++) {
			/* From -1 to 1. */
			const double y = (2.0 * r + 1) / size - 1, x = (2.0 * c + 1) / size - 1;
			const double height = 0.36 - x * x - y * y;
			const double ball = height > 0
						    ? 60 + 150 * (sqrt(height) - 0.4 * x - 0.5 * y)
						    : 40 + 10 * x;
			const double waves = 130 + 50 * y + 25 * sin(9 * y + 2 * sin(5 * x)) +
					     20 * sin(14 * x - 6 * y * y);
			*image_at(&s->source, r, c) = grey(ball);
			*image_at(&s->target, r, c) = grey(waves);
			*image_at(&s->mask, r, c) =
				r > 0 && c > 0 && r < size - 1 && c < size - 1 ? 255 : 0;
		}
}
