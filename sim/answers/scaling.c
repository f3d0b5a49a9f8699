/* SPDX-License-Identifier: MIT */
#include "scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "traces/format/trace_folder.h"

/* The share of what more GPUs could have saved or done that must come of them, for them to pay. */
#define PAYS 0.5

struct point {
	char *name; /* of the file; owned */
	uint32_t gpus, virtual_gpus;
	double us, low_us, high_us;
	struct bound bound;
};

static int by_gpus(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	if (a->gpus != b->gpus)
		return a->gpus < b->gpus ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int answer_point(struct point *point, const struct program *program, const char *folder,
			const char *name, const struct replay_options *options, const char *asked)
{
	char *path = xprintf("%s/%s", folder, name);
	struct replayed r;
	struct prediction p;
	int rc = replayed_open(&r, program, path, options, asked);
	free(path);
	if (rc)
		return -1;
	const char *model = strcmp(asked, "recorded")
				    ? asked
				    : predictor_replayed_model(&r.predictor, &r.run.schedule);
	struct predictor_request request = { .kernel_model = model,
					     .set = r.set,
					     .own = &r.own,
					     .allow_extrapolation =
						     options->common.allow_extrapolation };
	rc = model ? predictor_run_planned(&r.predictor, &r.run, &request, &p) : -1;
	if (!rc) {
		*point = (struct point){ xstrdup(name),
					 r.run.schedule.gpu_count,
					 r.run.schedule.virtual_gpus,
					 p.core_us,
					 p.core_lo_us,
					 p.core_hi_us,
					 bound_of(&p.detail) };
		prediction_release(&p);
	}
	replayed_release(&r);
	return rc;
}

/* How much faster than on the fewest GPUs; weak: how much more work in the same time. */
static double speed_up(const struct point *first, const struct point *at, bool weak,
		       double first_us, double at_us)
{
	return at_us > 0 ? first_us / at_us * (weak ? (double)at->gpus / first->gpus : 1) : 0;
}

/* The last number of GPUs before a step that does not pay; NULL: all do. */
static const struct point *knee(const struct point *point, int count, bool weak)
{
	for (int i = 1; i < count; i++) {
		const double more = (double)point[i].gpus / point[i - 1].gpus - 1,
			     gained = speed_up(&point[i - 1], &point[i], weak, point[i - 1].us,
					       point[i].us) -
				      1;
		if (gained < PAYS * more)
			return &point[i - 1];
	}
	return NULL;
}

static void print_tsv(const struct point *point, int count, bool weak)
{
	printf("gpus\tvirtual\tcore_us\tcore_lo_us\tcore_hi_us\tspeed_up\tspeed_up_lo\tspeed_up_hi"
	       "\tefficiency\tbound_by\tfile\n");
	for (int i = 0; i < count; i++) {
		const struct point *p = &point[i];
		const double faster = speed_up(point, p, weak, point->us, p->us);
		printf("%u\t%d\t%.3f\t%.3f\t%.3f\t%.4f\t%.4f\t%.4f\t%.4f\t%s\t%s\n", p->gpus,
		       p->virtual_gpus != 0, p->us, p->low_us, p->high_us, faster,
		       i ? speed_up(point, p, weak, point->low_us, p->high_us) : 1,
		       i ? speed_up(point, p, weak, point->high_us, p->low_us) : 1,
		       faster * point->gpus / p->gpus, bound_name[p->bound.by], p->name);
	}
}

static void print_text(const struct point *point, int count, bool weak)
{
	const struct point *at = knee(point, count, weak);
	printf("  %4s %12s %24s %9s %16s %11s  %s\n", "GPUs", "core loop us", "90 % interval",
	       "speed-up", "", "efficiency", "bound by");
	for (int i = 0; i < count; i++) {
		const struct point *p = &point[i];
		const double faster = speed_up(point, p, weak, point->us, p->us);
		char interval[64], range[64] = "";
		if (isnan(p->low_us))
			snprintf(interval, sizeof(interval), "none");
		else
			snprintf(interval, sizeof(interval), "%.1f to %.1f", p->low_us, p->high_us);
		if (i && !isnan(p->low_us) && !isnan(point->low_us))
			snprintf(range, sizeof(range), "%.2f to %.2f",
				 speed_up(point, p, weak, point->low_us, p->high_us),
				 speed_up(point, p, weak, point->high_us, p->low_us));
		printf("  %4u %12.1f %24s %9.2f %16s %9.1f %%  %s %.1f %%\n", p->gpus, p->us,
		       interval, faster, range, 100 * faster * point->gpus / p->gpus,
		       bound_name[p->bound.by], 100 * p->bound.share[p->bound.by]);
	}
	if (!at && count > 1)
		printf("  no knee: each step gives at least half of what its GPUs could\n");
	else if (at)
		printf("  knee: %u GPU%s; the step to %u gives less than half of what it could, "
		       "bound by %s there\n",
		       at->gpus, at->gpus == 1 ? "" : "s", at[1].gpus, bound_name[at[1].bound.by]);
	for (int i = 0; i < count; i++)
		if (point[i].virtual_gpus) {
			printf("  note: recorded on one GPU as if there were more (docs/as-gpus.md "
			       "says what is not known)\n");
			break;
		}
}

static int print(const struct point *point, int count, const struct replay_options *options)
{
	const bool weak = !strcmp(options->scaling, "weak");
	for (int i = 1; i < count; i++)
		if (point[i].gpus == point[i - 1].gpus)
			return report(
				"%s and %s are both on %u GPUs: a folder has one recording of "
				"each number",
				point[i - 1].name, point[i].name, point[i].gpus);
	(strcmp(options->common.format, "tsv") ? print_text : print_tsv)(point, count, weak);
	return 0;
}

int scaling_answer(const struct program *program, const char *folder,
		   const struct replay_options *options)
{
	const char *model = predictor_model(&options->common, "recorded");
	char **name = NULL;
	int found = model ? trace_folder_names(folder, &name) : -1, rc = 0, count = 0;
	struct point *point;
	if (found < 0)
		return -1;
	point = xcalloc((size_t)found, sizeof(*point));
	for (; count < found && !rc; count += !rc)
		rc = answer_point(&point[count], program, folder, name[count], options, model);
	if (!rc) {
		qsort(point, (size_t)count, sizeof(*point), by_gpus);
		rc = print(point, count, options);
	}
	for (int i = 0; i < found; i++) {
		free(name[i]);
		free(point[i].name);
	}
	free(name);
	free(point);
	return rc;
}
