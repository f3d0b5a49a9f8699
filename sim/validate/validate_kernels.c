/* SPDX-License-Identifier: MIT */
#include "validate_kernels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/util.h"
#include "measured.h"
#include "profiled.h"

struct context {
	const struct program *program;
	struct predictor *predictor;
	struct measured kernels;
	struct warps *uncounted; /* as the predictor's, without the counts that are left out */
	struct validation *validation;
	struct timed_launches *timed; /* to add to; NULL: nobody asks */
	bool said_missing;	      /* that some kernel has no profile */
};

/* Mean period of the launches of a steady iteration, one after the other. */
static int steady_us(struct context *c, const struct schedule *schedule, const char *model_name,
		     const struct timed_launches *timed, double *us, bool *extrapolated)
{
	struct predictor *p = c->predictor;
	struct kernel_model model = { .ops = kernel_model_find(model_name),
				      .platform = &p->platform,
				      .profile = p->has_profile ? &p->profile : NULL,
				      .timed = timed,
				      .but_itself = true,
				      .allow_extrapolation = true };
	if (!strcmp(model_name, "warps") && predictor_use_warps(p, &model))
		return -1;
	double sum = 0, ns;
	int64_t launches = 0;
	for (int64_t k = 0; k < schedule->op_count; k++) {
		const struct schedule_op *op = &schedule->op[k];
		if (op->kind != OP_LAUNCH)
			continue;
		launches++;
		if (model.ops->cost(&model, schedule, &schedule->shape[op->object], op, &ns))
			return -1;
		sum += ns + p->platform.sm.launch_period_ns - p->platform.sm.launch_ns;
	}
	*us = sum * 1e-3 / (double)launches;
	*extrapolated = model.extrapolated;
	return 0;
}

/* Whether the one-GPU profile holds every kernel of the schedule. */
static bool was_recorded(const struct context *c, const struct schedule *schedule)
{
	bool all = c->predictor->has_profile, outside;
	double ns;
	for (uint32_t k = 0; all && k < schedule->shape_count; k++) {
		const struct schedule_shape *s = &schedule->shape[k];
		struct profile_form form = profile_form_of(s->block, s->shared_bytes);
		all = profile_lookup(&c->predictor->profile, schedule->kernel[s->kernel], s->rows,
				     s->columns, &form, &ns, &outside) == 0;
	}
	return all;
}

/* The launch that a row of the kernels set times. */
struct timed {
	char kernel[64];
	struct schedule_shape shape;
	bool left_out; /* its counts */
};

static bool is_left_out(const struct context *c, const struct measured_row *m)
{
	return c->validation->splits && splits_counts_left_out(c->validation->splits, m->config);
}

static bool same_launch(const struct timed *a, const struct timed *b)
{
	return !strcmp(a->kernel, b->kernel) &&
	       !memcmp(a->shape.grid, b->shape.grid, sizeof(a->shape.grid)) &&
	       !memcmp(a->shape.block, b->shape.block, sizeof(a->shape.block)) &&
	       a->shape.path == b->shape.path && a->shape.steps == b->shape.steps;
}

/* What the model is worth where nobody counted is asked of profiles that lack some counts. */
static int forget_left_out(struct context *c)
{
	struct timed *timed = xcalloc(c->kernels.count + 1, sizeof(*timed));
	int rc = 0;
	c->uncounted = warps_new(&c->predictor->platform, &c->predictor->warps_options);
	if (!c->uncounted)
		rc = -1;
	for (size_t k = 0; !rc && k < c->kernels.count; k++) {
		struct schedule schedule;
		schedule_init(&schedule);
		rc = c->program->plan_steady(c->kernels.row[k].solver, c->kernels.row[k].config,
					     &schedule);
		if (!rc && schedule.shape_count) {
			timed[k].shape = schedule.shape[0];
			timed[k].left_out = is_left_out(c, &c->kernels.row[k]);
			snprintf(timed[k].kernel, sizeof(timed[k].kernel), "%s",
				 schedule.kernel[schedule.shape[0].kernel]);
		}
		schedule_release(&schedule);
	}
	for (size_t k = 0; !rc && k < c->kernels.count; k++) {
		bool stays = !timed[k].left_out;
		for (size_t j = 0; j < c->kernels.count && !stays; j++)
			stays = !timed[j].left_out && same_launch(&timed[j], &timed[k]);
		if (!stays)
			warps_forget(c->uncounted, timed[k].kernel, &timed[k].shape);
	}
	free(timed);
	return rc;
}

static void add(struct context *c, const struct measured_row *m, const char *row,
		const char *kernel_model, double us, bool extrapolated)
{
	char *inputs =
		predictor_inputs(c->predictor, kernel_model, strcmp(row, "warps-timed") != 0);
	validation_add(c->validation, m, "kernels", row, us, inputs)->extrapolated = extrapolated;
	free(inputs);
}

/* `warps` from profiles without the counts that are left out; `sure`: of these, what it answers
 * unasked, since nothing about the counts is in doubt. */
static int validate_uncounted(struct context *c, const struct measured_row *m,
			      const struct schedule *schedule)
{
	double us;
	bool extrapolated;
	struct warps *counted = c->predictor->warps;
	c->predictor->warps = c->uncounted;
	int rc = steady_us(c, schedule, "warps", NULL, &us, &extrapolated);
	c->predictor->warps = counted;
	if (!rc)
		add(c, m, "warps-uncounted", "warps", us, extrapolated);
	if (!rc && !extrapolated)
		add(c, m, "warps-uncounted-sure", "warps", us, extrapolated);
	return rc;
}

/* As `warps`, scaled by what launches of the same kernels took alone; none of as many points, so
 * that no row answers itself. */
static int validate_timed(struct context *c, const struct measured_row *m,
			  const struct schedule *schedule)
{
	double us;
	bool extrapolated;
	int rc = steady_us(c, schedule, "warps", &c->predictor->timed, &us, &extrapolated);
	if (!rc && !extrapolated)
		add(c, m, "warps-timed", "warps", us, extrapolated);
	return rc;
}

/* What launches of this kernel are: the first's path and block, and points on average. */
static struct timed_kind kind_of(const struct schedule *schedule, uint32_t kernel)
{
	struct timed_kind kind = { .kernel = schedule->kernel[kernel] };
	int64_t launches = 0;
	for (int64_t k = 0; k < schedule->op_count; k++) {
		const struct schedule_op *op = &schedule->op[k];
		if (op->kind != OP_LAUNCH || schedule->shape[op->object].kernel != kernel)
			continue;
		const struct schedule_shape *shape = &schedule->shape[op->object];
		if (!launches++) {
			kind.path = shape->path;
			memcpy(kind.block, shape->block, sizeof(kind.block));
		}
		kind.points += shape->points;
	}
	kind.points /= launches ? launches : 1;
	return kind;
}

/* For answers to come: what a development row says of each of its kernels, once. */
static void add_timed(struct context *c, const struct measured_row *m,
		      const struct schedule *schedule, double us)
{
	if (!c->timed || (c->validation->splits && splits_find(c->validation->splits, "kernels", 1,
							       m->config) != SPLIT_DEVELOPMENT))
		return;
	for (uint32_t k = 0; k < schedule->kernel_count; k++) {
		const struct timed_kind kind = kind_of(schedule, k);
		if (kind.points > 0 && kind.block[0])
			timed_launches_add(c->timed, &kind, m->core_us * 1e3, us * 1e3);
	}
}

static int validate_kernel(struct context *c, const struct measured_row *m)
{
	static const char *const models[] = { "warps", "roofline", "scaled" };
	struct schedule schedule;
	schedule_init(&schedule);
	int rc = c->program->plan_steady(m->solver, m->config, &schedule);
	size_t model_count = rc || was_recorded(c, &schedule) ? 3 : 2;
	const int answers = rc ? rc : profiled(c->predictor, &schedule, "rows", &c->said_missing);
	if (answers < 0)
		rc = -1;
	for (size_t k = answers > 0 ? 0 : 1; !rc && k < model_count; k++) {
		double us;
		bool extrapolated;
		rc = steady_us(c, &schedule, models[k], NULL, &us, &extrapolated);
		const char *row =
			extrapolated && !strcmp(models[k], "warps") ? "warps-refused" : models[k];
		if (!rc)
			add(c, m, row, models[k], us, extrapolated);
		if (!rc && !extrapolated && !strcmp(models[k], "warps"))
			add_timed(c, m, &schedule, us);
	}
	if (!rc && answers > 0 && c->predictor->timed.count)
		rc = validate_timed(c, m, &schedule);
	if (!rc && answers > 0 && is_left_out(c, m))
		rc = validate_uncounted(c, m, &schedule);
	schedule_release(&schedule);
	return rc;
}

/* The launches of all rows, played together. */
static int play_ahead(struct context *c, int jobs)
{
	struct kernel_model model = { 0 };
	int rc = predictor_use_warps(c->predictor, &model);
	for (size_t k = 0; !rc && k < c->kernels.count; k++) {
		struct schedule schedule;
		schedule_init(&schedule);
		warps_schedule(model.warps);
		rc = c->program->plan_steady(c->kernels.row[k].solver, c->kernels.row[k].config,
					     &schedule) ||
				     warps_note(model.warps, &schedule)
			     ? -1
			     : 0;
		if (!rc && is_left_out(c, &c->kernels.row[k])) {
			warps_schedule(c->uncounted);
			rc = warps_note(c->uncounted, &schedule);
		}
		schedule_release(&schedule);
	}
	if (!rc)
		warps_play_pending(model.warps, jobs);
	if (!rc && c->uncounted)
		warps_play_pending(c->uncounted, jobs);
	return rc;
}

static bool any_left_out(const struct context *c)
{
	bool any = false;
	for (size_t k = 0; k < c->kernels.count; k++)
		any |= is_left_out(c, &c->kernels.row[k]);
	return any;
}

int validate_kernels(const struct program *program, struct predictor *predictor,
		     const char *measured, bool needed, int jobs, struct timed_launches *timed,
		     struct validation *validation)
{
	struct context c = {
		.program = program, .predictor = predictor, .validation = validation, .timed = timed
	};
	char *path = measured ? xstrdup(measured)
			      : xprintf("%s/traces/data/%s/kernels.tsv", util_root(),
					predictor_measured(predictor));
	int rc = 0;
	if (measured || needed || access(path, R_OK) == 0) /* a platform need not have any */
		rc = measured_read_kernels(
			&c.kernels, path,
			platform_text(&predictor->platform, "platform.input_visits"));
	if (!rc && any_left_out(&c))
		rc = forget_left_out(&c);
	if (!rc && c.kernels.count && jobs > 1)
		rc = play_ahead(&c, jobs);
	for (size_t k = 0; !rc && k < c.kernels.count; k++)
		rc = validate_kernel(&c, &c.kernels.row[k]);
	warps_free(c.uncounted);
	measured_release(&c.kernels);
	free(path);
	return rc ? -1 : 0;
}
