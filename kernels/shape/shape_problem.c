/* SPDX-License-Identifier: MIT
 * From a picture and its outline to a grid.
 */
#include <math.h>

#include "shape.h"
#include "traces/base/util.h"

enum { INSIDE = 128, REACH = 4 /* pixels around one that say which way the outline runs */ };

void shape_release(struct shape_pictures *pictures)
{
	image_release(&pictures->image);
	image_release(&pictures->mask);
}

int shape_read(struct shape_pictures *s, const struct shape_params *p)
{
	*s = (struct shape_pictures){ 0 };
	if (!p->image) {
		shape_scene(s, p);
		return 0;
	}
	if (image_read(&s->image, p->image))
		return -1;
	image_to_channels(&s->image, 1);
	if (!p->mask) {
		image_make(&s->mask, s->image.columns, s->image.rows, 1, 255);
		return 0;
	}
	if (image_read(&s->mask, p->mask))
		goto fail;
	image_to_channels(&s->mask, 1);
	if (s->mask.columns == s->image.columns && s->mask.rows == s->image.rows)
		return 0;
	report("%s: the mask has %d x %d pixels, the picture %s %d x %d", p->mask, s->mask.columns,
	       s->mask.rows, p->image, s->image.columns, s->image.rows);
fail:
	shape_release(s);
	return -1;
}

void shape_normal(double f, double g, double normal[3])
{
	const double below = 4 + f * f + g * g;
	normal[0] = -4 * f / below;
	normal[1] = -4 * g / below;
	normal[2] = (4 - f * f - g * g) / below;
}

static bool inside(const struct shape_pictures *s, int row, int column)
{
	return row >= 0 && row < s->mask.rows && column >= 0 && column < s->mask.columns &&
	       *image_at(&s->mask, row, column) >= INSIDE;
}

/* At an occluding edge the normal lies in the picture and points away from the object, which is
 * where most of the mask around is not. */
static void bend_away(struct weak_problem *problem, const struct shape_pictures *s, int row,
		      int column)
{
	double x = 0, y = 0;
	for (int r = -REACH; r <= REACH; r++)
		for (int c = -REACH; c <= REACH; c++)
			if (r * r + c * c <= REACH * REACH && inside(s, row + r, column + c)) {
				x -= c;
				y -= r;
			}
	const double length = hypot(x, y);
	if (!(length > 0))
		return;
	*weak_value(problem, 0, 0, row, column) = (float)(-2 * x / length);
	*weak_value(problem, 1, 0, row, column) = (float)(-2 * y / length);
}

int shape_make(struct weak_problem *problem, const struct shape_pictures *s,
	       const struct shape_params *p)
{
	static const int step[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	const int rows = s->image.rows, columns = s->image.columns;
	long free_nodes = 0;
	if (rows == 1 && columns == 1)
		return report("%s: one pixel has no neighbours, which its normal is made of",
			      p->image);
	weak_problem_make(problem, WEAK_SHAPE, 1, rows, columns);
	/* eq. (3) has lambda on the smoothness, eq. (4) its inverse on the data. */
	problem->terms.pull = (float)(1 / (4 * p->lambda));
	for (int k = 0; k < 3; k++)
		problem->terms.light[k] = p->to_light[k];
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < columns; c++) {
			int neighbours = 0, near = 0;
			for (int k = 0; k < 4; k++) {
				const int to_r = r + step[k][0], to_c = c + step[k][1];
				neighbours +=
					to_r >= 0 && to_r < rows && to_c >= 0 && to_c < columns;
				near += inside(s, to_r, to_c);
			}
			*weak_asked(problem, 0, r, c) =
				(float)(*image_at(&s->image, r, c) / p->white);
			if (inside(s, r, c)) {
				*weak_weight(problem, 0, r, c) = 1.0f / (float)neighbours;
				free_nodes++;
			} else if (near && p->occluding) {
				bend_away(problem, s, r, c);
			}
		}
	if (free_nodes)
		return 0;
	weak_problem_release(problem);
	return report("%s: the mask is empty: no pixel of it is at least %d", p->mask, INSIDE);
}
