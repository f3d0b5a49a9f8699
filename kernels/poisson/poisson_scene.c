/* SPDX-License-Identifier: MIT
 * Pictures for those who name none: of any size, the same on every machine.
 */
#include <math.h>

#include "poisson.h"

static uint8_t grey(double value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lround(value));
}

/* Whether a pixel is of an object: a disc in the middle of its square, whose outline waves. */
static bool of_object(int size, int objects, int row, int column)
{
	const double side = (double)size / objects;
	const int down = (int)((row + 0.5) / side), across = (int)((column + 0.5) / side),
		  number = down * objects + across;
	const double y = row + 0.5 - (down + 0.5) * side, x = column + 0.5 - (across + 0.5) * side;
	return hypot(x, y) < side * (0.38 + 0.075 * sin((3 + number % 4) * atan2(y, x) + number));
}

void poisson_scene(struct poisson_pictures *s, int size, int objects)
{
	*s = (struct poisson_pictures){ 0 };
	image_make(&s->source, size, size, 1, 0);
	image_make(&s->mask, size, size, 1, 0);
	image_make(&s->target, size, size, 1, 0);
	for (int r = 0; r < size; r++)
		for (int c = 0; c < size; c++) {
			/* From -1 to 1. */
			const double y = (2.0 * r + 1) / size - 1, x = (2.0 * c + 1) / size - 1;
			/* The same in the square of an object. */
			const double v = objects ? fmod((y + 1) * objects, 2) - 1 : y,
				     u = objects ? fmod((x + 1) * objects, 2) - 1 : x;
			const double height = 0.36 - u * u - v * v;
			const double ball = height > 0
						    ? 60 + 150 * (sqrt(height) - 0.4 * u - 0.5 * v)
						    : 40 + 10 * u;
			const double waves = 130 + 50 * y + 25 * sin(9 * y + 2 * sin(5 * x)) +
					     20 * sin(14 * x - 6 * y * y);
			*image_at(&s->source, r, c) = grey(ball);
			*image_at(&s->target, r, c) = grey(waves);
			const bool inside = r > 0 && c > 0 && r < size - 1 && c < size - 1;
			*image_at(&s->mask, r, c) =
				inside && (!objects || of_object(size, objects, r, c)) ? 255 : 0;
		}
}
