/* SPDX-License-Identifier: MIT
 * A picture for those who name none: a vase, of any size, the same on every machine.
 */
#include <math.h>

#include "shape.h"

/* Its radius at y in [-1, 1], downward, and how that grows; 0 above and below. Both ends are round,
 * so that all of its outline is an occluding edge. */
static double radius(double y, double *slope)
{
	const double foot = 0.85, per = 1.3 * acos(-1.0) / foot, turn = per * (y - 0.2);
	const double body = 0.36 + 0.18 * cos(turn), end = 1 - pow(y / foot, 8);
	*slope = 0;
	if (end <= 0)
		return 0;
	*slope = -0.18 * per * sin(turn) * sqrt(end) -
		 body * 4 * pow(y / foot, 7) / (foot * sqrt(end));
	return body * sqrt(end);
}

bool shape_scene_normal(int size, int row, int column, double normal[3])
{
	const double y = (2.0 * row + 1) / size - 1, x = (2.0 * column + 1) / size - 1;
	double slope;
	const double r = radius(y, &slope), square = r * r - x * x;
	if (square <= 0 || r <= 0)
		return false;
	/* The gradient of x^2 + z^2 - r(y)^2. */
	const double z = sqrt(square), length = sqrt(r * r + r * r * slope * slope);
	normal[0] = x / length;
	normal[1] = -r * slope / length;
	normal[2] = z / length;
	return true;
}

void shape_scene(struct shape_pictures *s, const struct shape_params *p)
{
	*s = (struct shape_pictures){ 0 };
	image_make(&s->image, p->size, p->size, 1, 0);
	image_make(&s->mask, p->size, p->size, 1, 0);
	for (int r = 0; r < p->size; r++)
		for (int c = 0; c < p->size; c++) {
			double n[3], lit = 0;
			if (!shape_scene_normal(p->size, r, c, n))
				continue;
			for (int k = 0; k < 3; k++)
				lit += n[k] * (double)p->to_light[k];
			*image_at(&s->mask, r, c) = 255;
			*image_at(&s->image, r, c) =
				(uint8_t)lround(lit > 0 ? fmin(lit * p->white, 255) : 0);
		}
}
