/* SPDX-License-Identifier: MIT
 * From three pictures to a grid, and back to one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poisson.h"
#include "traces/base/util.h"

enum { INSIDE = 128 }; /* a mask's pixel from here on */

void poisson_release(struct poisson_pictures *pictures)
{
	image_release(&pictures->source);
	image_release(&pictures->mask);
	image_release(&pictures->target);
}

int poisson_read(struct poisson_pictures *s, const struct poisson_params *p)
{
	*s = (struct poisson_pictures){ 0 };
	if (!p->source) {
		poisson_scene(s, p->size, p->objects);
		return 0;
	}
	if (image_read(&s->source, p->source) || image_read(&s->mask, p->mask) ||
	    image_read(&s->target, p->target))
		goto fail;
	if (s->mask.columns != s->source.columns || s->mask.rows != s->source.rows) {
		report("%s: the mask has %d x %d pixels, the source %s %d x %d", p->mask,
		       s->mask.columns, s->mask.rows, p->source, s->source.columns, s->source.rows);
		goto fail;
	}
	const int32_t channels =
		s->source.channels > s->target.channels ? s->source.channels : s->target.channels;
	image_to_channels(&s->source, channels);
	image_to_channels(&s->target, channels);
	image_to_channels(&s->mask, 1);
	return 0;
fail:
	poisson_release(s);
	return -1;
}

/* What is asked for between a pixel of the target and its neighbour there: own value less the
 * neighbour's, in the source; or, mixed, where that is larger, in the target. A source goes on
 * beyond its edge as it ended. */
static float guidance(const struct poisson_pictures *s, const struct poisson_params *p, int row,
		      int column, int to_row, int to_column, int channel)
{
	const int r = row - p->down, c = column - p->right;
	int other_r = to_row - p->down, other_c = to_column - p->right;
	other_r = other_r < 0 ? 0 : other_r >= s->source.rows ? s->source.rows - 1 : other_r;
	other_c = other_c < 0 ? 0 : other_c >= s->source.columns ? s->source.columns - 1 : other_c;
	const int of_source = image_at(&s->source, r, c)[channel] -
			      image_at(&s->source, other_r, other_c)[channel],
		  of_target = image_at(&s->target, row, column)[channel] -
			      image_at(&s->target, to_row, to_column)[channel];
	return (float)(p->mixed && abs(of_target) > abs(of_source) ? of_target : of_source);
}

/* A node that is free, and its constants. */
static void free_node(struct weak_problem *problem, const struct poisson_pictures *s,
		      const struct poisson_params *p, int plane, int row, int column)
{
	static const int step[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	const int r = row + s->first_row, c = column + s->first_column;
	int neighbours = 0;
	float asked = 0;
	for (int k = 0; k < 4; k++) {
		const int to_r = r + step[k][0], to_c = c + step[k][1];
		if (to_r < 0 || to_r >= s->target.rows || to_c < 0 || to_c >= s->target.columns)
			continue; /* beyond the picture nothing is asked */
		neighbours++;
		asked += guidance(s, p, r, c, to_r, to_c, plane);
	}
	*weak_asked(problem, plane, row, column) = asked;
	*weak_weight(problem, plane, row, column) = 1.0f / (float)neighbours;
}

static bool masked(const struct poisson_pictures *s, const struct poisson_params *p, int row,
		   int column)
{
	const int r = row - p->down, c = column - p->right;
	return r >= 0 && r < s->mask.rows && c >= 0 && c < s->mask.columns &&
	       *image_at(&s->mask, r, c) >= INSIDE;
}

/* The box of the mask in the target: [low, high) of rows and columns; -1 after a message. */
static int find_box(const struct poisson_pictures *s, const struct poisson_params *p, int low[2],
		    int high[2])
{
	const char *name = p->mask ? p->mask : "the scene";
	long inside = 0, beyond = 0;
	low[0] = s->target.rows, low[1] = s->target.columns;
	high[0] = high[1] = 0;
	for (int r = 0; r < s->mask.rows; r++)
		for (int c = 0; c < s->mask.columns; c++) {
			const int at[2] = { r + p->down, c + p->right };
			if (*image_at(&s->mask, r, c) < INSIDE)
				continue;
			inside++;
			if (at[0] < 0 || at[0] >= s->target.rows || at[1] < 0 ||
			    at[1] >= s->target.columns) {
				beyond++;
				continue;
			}
			for (int k = 0; k < 2; k++) {
				low[k] = at[k] < low[k] ? at[k] : low[k];
				high[k] = at[k] >= high[k] ? at[k] + 1 : high[k];
			}
		}
	if (!inside)
		return report("%s: the mask is empty: no pixel of it is at least %d", name, INSIDE);
	if (beyond)
		return report("%s: %ld of the mask's %ld pixels lie beyond the target: --offset "
			      "X,Y puts the source elsewhere",
			      name, beyond, inside);
	if (inside == (long)s->target.rows * s->target.columns)
		return report("%s: the mask leaves nothing of the target, so nothing says how "
			      "bright the picture is",
			      name);
	return 0;
}

int poisson_make(struct weak_problem *problem, struct poisson_pictures *s,
		 const struct poisson_params *p)
{
	int low[2], high[2];
	const int most[2] = { s->target.rows, s->target.columns };
	if (find_box(s, p, low, high))
		return -1;
	for (int k = 0; k < 2; k++) {
		low[k] -= low[k] > 0;
		high[k] += high[k] < most[k];
	}
	s->first_row = low[0];
	s->first_column = low[1];
	weak_problem_make(problem, WEAK_POISSON, s->target.channels, high[0] - low[0],
			  high[1] - low[1]);
	for (int plane = 0; plane < s->target.channels; plane++)
		for (int r = 0; r < problem->rows; r++)
			for (int c = 0; c < problem->columns; c++) {
				*weak_value(problem, 0, plane, r, c) =
					image_at(&s->target, r + low[0], c + low[1])[plane];
				if (masked(s, p, r + low[0], c + low[1]))
					free_node(problem, s, p, plane, r, c);
			}
	return 0;
}

void poisson_picture(const struct weak_problem *problem, const struct poisson_pictures *s,
		     struct image *result)
{
	image_make(result, s->target.columns, s->target.rows, s->target.channels, 0);
	memcpy(result->pixel, s->target.pixel,
	       (size_t)result->columns * (size_t)result->rows * (size_t)result->channels);
	for (int plane = 0; plane < result->channels; plane++)
		for (int r = 0; r < problem->rows; r++)
			for (int c = 0; c < problem->columns; c++) {
				const float u = *weak_value(problem, 0, plane, r, c);
				image_at(result, r + s->first_row, c + s->first_column)[plane] =
					(uint8_t)(u > 255 ? 255
						  : u > 0 ? lroundf(u)
							  : 0);
			}
}
