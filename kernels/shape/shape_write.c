/* SPDX-License-Identifier: MIT
 * What came of it, for people: normals and heights as pictures, the surface as a gnuplot script.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

static uint8_t byte_of(double value)
{
	return (uint8_t)(value > 255 ? 255 : value > 0 ? lround(value) : 0);
}

/* x, y and z from -1 to 1 as red, green and blue; black where nothing is known. */
static int write_normals(const struct weak_problem *p, const char *path)
{
	struct image image;
	image_make(&image, p->columns, p->rows, 3, 0);
	for (int r = 0; r < p->rows; r++)
		for (int c = 0; c < p->columns; c++) {
			double n[3];
			if (!(*weak_weight(p, 0, r, c) > 0))
				continue;
			shape_normal((double)*weak_value(p, 0, 0, r, c),
				     (double)*weak_value(p, 1, 0, r, c), n);
			for (int k = 0; k < 3; k++)
				image_at(&image, r, c)[k] = byte_of(127.5 + 127.5 * n[k]);
		}
	const int rc = image_write(&image, path);
	image_release(&image);
	return rc;
}

/* The lowest 1, the highest 255; 0 where nothing is known. */
static int write_heights(const struct weak_problem *p, const double *z, const char *path)
{
	struct image image;
	double high = 0;
	const size_t count = (size_t)p->columns * (size_t)p->rows;
	image_make(&image, p->columns, p->rows, 1, 0);
	for (size_t k = 0; k < count; k++)
		high = fmax(high, z[k]); /* fmax passes NaN over */
	for (size_t k = 0; k < count; k++)
		if (!isnan(z[k]))
			image.pixel[k] = byte_of(1 + (high > 0 ? 254 * z[k] / high : 0));
	const int rc = image_write(&image, path);
	image_release(&image);
	return rc;
}

/* At most this many points a side: more only blacken the drawing. */
enum { DRAWN = 120 };

static int write_surface(const struct weak_problem *p, const double *z, const char *path)
{
	struct output output;
	const int most = p->rows > p->columns ? p->rows : p->columns,
		  step = (most + DRAWN - 1) / DRAWN;
	if (output_begin(&output, path))
		return -1;
	FILE *file = output_open(&output);
	if (!file) {
		output_abandon(&output);
		return report("%s: %s", path, strerror(errno));
	}
	fprintf(file, "# The surface: gnuplot -p FILE\n$surface << END\n");
	for (int r = 0; r < p->rows; r += step) {
		for (int c = 0; c < p->columns; c += step) {
			const double height = z[r * p->columns + c];
			if (isnan(height))
				fprintf(file, "%d %d NaN\n", c, -r);
			else
				fprintf(file, "%d %d %.4f\n", c, -r, height);
		}
		fprintf(file, "\n");
	}
	fprintf(file, "END\n"
		      "set view 35,15,1.4\nset view equal xyz\nset pm3d lighting\n"
		      "set palette defined (0 '#9c8468', 1 '#f4e4c8')\n"
		      "unset colorbox\nunset key\nunset border\nunset tics\n"
		      "splot $surface with pm3d\n");
	if (fclose(file)) {
		output_abandon(&output);
		return report("%s: %s", path, strerror(errno));
	}
	return output_commit(&output);
}

int shape_write(const struct weak_problem *p, const struct shape_params *params)
{
	double *z = params->height || params->surface ? shape_heights(p) : NULL;
	const int rc = (params->normals && write_normals(p, params->normals)) ||
				       (params->height && write_heights(p, z, params->height)) ||
				       (params->surface && write_surface(p, z, params->surface))
			       ? -1
			       : 0;
	free(z);
	return rc;
}
