/* SPDX-License-Identifier: MIT
 * Seamless cloning as a solver: options and what the driver asks of the family.
 */
#include "poisson.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/weak/weak_chaos.h"
#include "kernels/weak/weak_work.h"
#include "traces/base/util.h"

#define AT(field) offsetof(struct poisson_params, field)
static const struct option_spec options[] = {
	{ "source", OPTION_TEXT, AT(source), NULL, 0, 0, "FILE",
	  "what is cloned, PNG or PPM; without it a built-in scene" },
	{ "mask", OPTION_TEXT, AT(mask), NULL, 0, 0, "FILE",
	  "which of the source's pixels: those of at least 128" },
	{ "target", OPTION_TEXT, AT(target), NULL, 0, 0, "FILE", "what it is cloned into" },
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "the picture: .png, .ppm or .pgm (default: none)" },
	{ "offset", OPTION_TEXT, AT(offset), "0,0", 0, 0, "X,Y",
	  "where in the target the source's first pixel comes to lie" },
	{ "guide", OPTION_CHOICE, AT(guide), "source", 0, 0, "source|mixed",
	  "gradients of the source, or the larger of source's and target's" },
	{ "size", OPTION_INT, AT(size), "128", 3, 8192, "N",
	  "pixels a side of the built-in scene" },
	{ "objects", OPTION_INT, AT(objects), "0", 0, 64, "K",
	  "the mask of the built-in scene has K x K objects; 0: all but the outermost pixels" },
	WEAK_OPTIONS("error", "1", ", in grey levels"),
	{ 0 },
};

static int parse_offset(struct poisson_params *p)
{
	char *end;
	const long x = strtol(p->offset, &end, 10);
	char *second = end + 1;
	if (end != p->offset && *end == ',') {
		const long y = strtol(second, &end, 10);
		if (end != second && !*end && labs(x) <= IMAGE_MOST_SIDE &&
		    labs(y) <= IMAGE_MOST_SIDE) {
			p->right = (int)x;
			p->down = (int)y;
			return 0;
		}
	}
	return report("offset '%s' is not X,Y, two numbers of pixels, at most %d either way",
		      p->offset, IMAGE_MOST_SIDE);
}

static int prepare(void *given, uint32_t gpus)
{
	struct poisson_params *p = given;
	const int named = !!p->source + !!p->mask + !!p->target;
	const char *const read[] = { p->source, p->mask, p->target }, *const written[] = {
		p->output, p->common.ages, p->common.watch, p->common.phases
	};
	p->mixed = !strcmp(p->guide, "mixed");
	p->guide = p->mixed ? "mixed" : "source";
	if (named && named < 3)
		return report("name all three of --source, --mask and --target, or none");
	if (p->objects && p->size < 16 * p->objects)
		return report("%d objects in a row want %d pixels a side, not %d", p->objects,
			      16 * p->objects, p->size);
	if (parse_offset(p) || (p->output && image_check_name(p->output)) ||
	    weak_files_differ(written, 3, read, 3))
		return -1;
	return weak_prepare(&p->common, gpus);
}

static void config(const void *given, char text[CONFIG_BYTES])
{
	const struct poisson_params *p = given;
	text[0] = 0;
	if (p->source)
		weak_config_add(text, "source=%s mask=%s target=%s", p->source, p->mask, p->target);
	else
		weak_config_add(text, "size=%d", p->size);
	if (p->objects && !p->source)
		weak_config_add(text, " objects=%d", p->objects);
	if (p->right || p->down)
		weak_config_add(text, " offset=%d,%d", p->right, p->down);
	weak_config_add(text, " guide=%s", p->guide);
	weak_config(&p->common, text);
}

struct poisson_work {
	struct weak_work weak;
	struct poisson_pictures pictures;
};

static int begin(struct solver_work *work)
{
	struct poisson_work *w = (struct poisson_work *)work;
	const struct poisson_params *p = work->params;
	w->weak.params = &p->common;
	return poisson_read(&w->pictures, p) || poisson_make(&w->weak.problem, &w->pictures, p) ||
			       weak_begin(&w->weak)
		       ? -1
		       : 0;
}

static void end(struct solver_work *work)
{
	struct poisson_work *w = (struct poisson_work *)work;
	weak_end(&w->weak);
	poisson_release(&w->pictures);
}

static int check(struct solver_work *work, struct solver_result *result)
{
	const struct poisson_work *w = (const struct poisson_work *)work;
	const struct poisson_params *p = work->params;
	if (weak_check(&w->weak, result))
		return -1;
	if (!p->output)
		return 0;
	struct image picture;
	const struct weak_problem after = weak_after(&w->weak);
	poisson_picture(&after, &w->pictures, &picture);
	const int rc = image_write(&picture, p->output);
	image_release(&picture);
	return rc;
}

static bool chaotic(const void *params)
{
	const struct poisson_params *p = params;
	return weak_chaotic(&p->common);
}

static int chaos(const void *params, struct chaos_case *c)
{
	struct poisson_pictures pictures;
	struct weak_problem problem;
	const struct poisson_params *p = params;
	if (poisson_read(&pictures, p))
		return -1;
	const int rc = poisson_make(&problem, &pictures, p);
	poisson_release(&pictures);
	return rc ? -1 : weak_chaos_open(&p->common, &problem, c);
}

extern const struct solver solver_poisson;
const struct solver solver_poisson = {
	.name = "poisson",
	.summary = "seamless cloning of one picture into another, by Poisson's equation",
	.params_bytes = sizeof(struct poisson_params),
	.work_bytes = sizeof(struct poisson_work),
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
