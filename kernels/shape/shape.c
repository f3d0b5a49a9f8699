/* SPDX-License-Identifier: MIT
 * Shape from shading as a solver: options and what the driver asks of the family.
 */
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/weak/weak_chaos.h"
#include "kernels/weak/weak_work.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

#define AT(field) offsetof(struct shape_params, field)
static const struct option_spec options[] = {
	{ "image", OPTION_TEXT, AT(image), NULL, 0, 0, "FILE",
	  "the picture of a surface, PNG or PPM; without it a built-in vase" },
	{ "mask", OPTION_TEXT, AT(mask), NULL, 0, 0, "FILE",
	  "the object's outline: pixels of at least 128 (default: all)" },
	{ "light", OPTION_TEXT, AT(light), "-0.4,-0.4,1", 0, 0, "X,Y,Z",
	  "where light comes from: right, down, towards the eye" },
	{ "white", OPTION_REAL, AT(white), "255", 1, 65535, "W",
	  "the pixel of a surface that faces the light" },
	{ "lambda", OPTION_REAL, AT(lambda), "0.3", 1e-3, 1e6, "L",
	  "how much smoothness weighs, in eq. (3)" },
	{ "edge", OPTION_CHOICE, AT(edge), "occluding", 0, 0, "occluding|flat",
	  "around the mask the surface bends away, or faces the eye" },
	{ "normals", OPTION_TEXT, AT(normals), NULL, 0, 0, "FILE",
	  "write the normals as a picture: x, y, z are red, green, blue (default: none)" },
	{ "height", OPTION_TEXT, AT(height), NULL, 0, 0, "FILE",
	  "write the heights as a grey picture (default: none)" },
	{ "surface", OPTION_TEXT, AT(surface), NULL, 0, 0, "FILE",
	  "write a gnuplot script that draws the surface (default: none)" },
	{ "size", OPTION_INT, AT(size), "128", 3, 8192, "N", "pixels a side of the built-in vase" },
	WEAK_OPTIONS("residual", "1e-5", ""),
	{ 0 },
};

/* A unit vector with light on the eye's side. */
static int parse_light(struct shape_params *p)
{
	double v[3], square = 0;
	const char *at = p->light;
	for (int k = 0; k < 3; k++) {
		char *end;
		v[k] = strtod(at, &end);
		if (end == at || *end != (k < 2 ? ',' : 0) || !isfinite(v[k]))
			return report("light '%s' is not X,Y,Z, three numbers", p->light);
		square += v[k] * v[k];
		at = end + 1;
	}
	if (!(v[2] > 0) || !(square < 1e30))
		return report("light '%s' comes from behind: Z is above 0", p->light);
	for (int k = 0; k < 3; k++)
		p->to_light[k] = (float)(v[k] / sqrt(square));
	return 0;
}

static int prepare(void *given, uint32_t gpus)
{
	struct shape_params *p = given;
	const char *const read[] = { p->image, p->mask }, *const written[] = {
		p->normals, p->height, p->surface, p->common.ages, p->common.watch, p->common.phases
	};
	p->occluding = !strcmp(p->edge, "occluding");
	p->edge = p->occluding ? "occluding" : "flat";
	if (p->mask && !p->image)
		return report("--mask is of a picture: name it with --image");
	/* A chessboard of alternating values changes sign in a Jacobi step of the mean, and what
	 * the data add to that makes it grow. */
	if (strcmp(p->common.inner, "red-black"))
		return report("shape grows without bound by Jacobi's steps: --inner red-black");
	if (parse_light(p) || (p->normals && image_check_name(p->normals)) ||
	    (p->height && image_check_name(p->height)) ||
	    (p->surface && output_check(p->surface)) || weak_files_differ(written, 5, read, 2))
		return -1;
	return weak_prepare(&p->common, gpus);
}

static void config(const void *given, char text[CONFIG_BYTES])
{
	const struct shape_params *p = given;
	char white[32], lambda[32];
	text[0] = 0;
	if (p->image)
		weak_config_add(text, "image=%s", p->image);
	else
		weak_config_add(text, "size=%d", p->size);
	if (p->mask)
		weak_config_add(text, " mask=%s", p->mask);
	weak_config_add(text, " light=%s white=%s lambda=%s edge=%s", p->light,
			weak_shortest(p->white, white), weak_shortest(p->lambda, lambda), p->edge);
	weak_config(&p->common, text);
}

struct shape_work {
	struct weak_work weak;
	struct shape_pictures pictures;
};

static int begin(struct solver_work *work)
{
	struct shape_work *w = (struct shape_work *)work;
	const struct shape_params *p = work->params;
	w->weak.params = &p->common;
	return shape_read(&w->pictures, p) || shape_make(&w->weak.problem, &w->pictures, p) ||
			       weak_begin(&w->weak)
		       ? -1
		       : 0;
}

static void end(struct solver_work *work)
{
	struct shape_work *w = (struct shape_work *)work;
	weak_end(&w->weak);
	shape_release(&w->pictures);
}

static int check(struct solver_work *work, struct solver_result *result)
{
	const struct shape_work *w = (const struct shape_work *)work;
	const struct weak_problem after = weak_after(&w->weak);
	if (weak_check(&w->weak, result))
		return -1;
	return shape_write(&after, work->params);
}

static bool chaotic(const void *params)
{
	const struct shape_params *p = params;
	return weak_chaotic(&p->common);
}

static int chaos(const void *params, struct chaos_case *c)
{
	struct shape_pictures pictures;
	struct weak_problem problem;
	const struct shape_params *p = params;
	if (shape_read(&pictures, p))
		return -1;
	const int rc = shape_make(&problem, &pictures, p);
	shape_release(&pictures);
	return rc ? -1 : weak_chaos_open(&p->common, &problem, c);
}

extern const struct solver solver_shape;
const struct solver solver_shape = {
	.name = "shape",
	.summary = "shape from shading: normals and heights of what a picture shows",
	.params_bytes = sizeof(struct shape_params),
	.work_bytes = sizeof(struct shape_work),
	.options = options,
	.prepare = prepare,
	.config = config,
	.begin = begin,
	.end = end,
	WEAK_DRIVER,
	.check = check,
	.chaos = chaos,
	.chaotic = chaotic,
};
