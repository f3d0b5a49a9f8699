/* SPDX-License-Identifier: MIT */
#include "validate_runs.h"

#include <assert.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/base/processes.h"
#include "sim/answers/untrace.h"
#include "traces/load/schedule_from_trace.h"
#include "profiled.h"
#include "sets.h"

enum {
	MODELS_MOST = 9
}; /* of a row: `default` and what it stands for, the others, the baselines */

struct answer {
	char model[24], answered_by[24]; /* the kernel model; "" = made of the run's own trace */
	char class_name[32];		 /* "" = a baseline, without interval */
	char family[32];
	double core_us, lo_us, hi_us, part_us[PART_COUNT];
	bool extrapolated, unsure;
};

/* All that is said of a row. */
struct answers {
	bool done;
	int count;
	struct answer of[MODELS_MOST];
};

/* What one GPU takes: several rows ask for the same. Texts are those of the first such row. */
struct alone {
	const char *solver, *config, *kernel_model /* NULL: the model has no answer */;
	double core_us;
};

struct context {
	const struct program *program;
	struct predictor *predictor;
	const struct measured *measured;
	struct validation *validation;
	struct validate_how how;
	bool has_warps;	   /* the platform has an inside and profiles of kernels */
	bool said_missing; /* that some kernel has no profile */
	struct alone *alone;
	size_t alone_count, alone_capacity;
};

static struct answer *add_answer(struct answers *to, const char *model, const char *answered_by,
				 double core_us)
{
	assert(to->count < MODELS_MOST);
	struct answer *new = &to->of[to->count++];
	*new = (struct answer){
		.core_us = core_us, .lo_us = NAN, .hi_us = NAN, .part_us = { NAN, NAN, NAN, NAN }
	};
	snprintf(new->model, sizeof(new->model), "%s", model);
	snprintf(new->answered_by, sizeof(new->answered_by), "%s", answered_by);
	return new;
}

static void add_prediction(struct answers *to, const char *model, const char *answered_by,
			   const struct prediction *p)
{
	struct answer *new = add_answer(to, model, answered_by, p->core_us);
	double parts[PART_COUNT] = { 0 };
	new->lo_us = p->core_lo_us;
	new->hi_us = p->core_hi_us;
	new->extrapolated = p->extrapolated;
	new->unsure = p->unsure;
	for (uint32_t g = 0; g < p->detail.gpu_count; g++) {
		const struct breakdown *gpu = &p->detail.gpu[g];
		const sim_time part_ps[PART_COUNT] = { gpu->kernel_ps, gpu->transfer_ps,
						       gpu->sync_ps, gpu->host_ps };
		for (int k = 0; k < PART_COUNT; k++)
			parts[k] += (double)part_ps[k] * 1e-6 / p->detail.gpu_count;
	}
	memcpy(new->part_us, parts, sizeof(parts));
	snprintf(new->class_name, sizeof(new->class_name), "%s", p->class_name);
	memcpy(new->family, p->family, sizeof(new->family));
}

/*
 * `trace_inputs`: of what is made of the run's own trace. What is answered of a plan only because
 * extrapolation is allowed here, and unasked is refused or a bound, counts apart: model
 * `NAME-refused`.
 */
static void add_rows(struct context *c, const struct measured_row *m, const char *set,
		     const struct answers *answers, const char *trace_inputs)
{
	for (int k = 0; k < answers->count; k++) {
		const struct answer *a = &answers->of[k];
		char *inputs = *a->answered_by ? predictor_inputs(c->predictor, a->answered_by,
								  !strcmp(a->model, "warps"))
					       : xstrdup(trace_inputs);
		char model[sizeof(a->model) + sizeof("-refused")];
		snprintf(model, sizeof(model), "%s%s", a->model,
			 a->unsure && set_within(set, "planned") ? "-refused" : "");
		struct validation_row *row =
			validation_add(c->validation, m, set, model, a->core_us, inputs);
		row->lo_us = a->lo_us;
		row->hi_us = a->hi_us;
		memcpy(row->part_us, a->part_us, sizeof(row->part_us));
		row->extrapolated = a->extrapolated;
		memcpy(row->family, a->family, sizeof(row->family));
		if (*a->class_name)
			snprintf(row->class_name, sizeof(row->class_name), "%s", a->class_name);
		free(inputs);
	}
}

static int plan_on(const struct context *c, const struct measured_row *m, int gpus,
		   struct schedule *schedule)
{
	char *config = gpus == 1 ? c->program->whole(m->config) : xstrdup(m->config);
	int rc = c->program->plan(m->solver, config, (uint32_t)gpus, schedule);
	free(config);
	return rc;
}

/* Core time of a planned run: 1, or 0 where the model has no answer; -1 after a message. */
static int plan_core(struct context *c, const struct measured_row *m, int gpus, const char *model,
		     const char *set, struct prediction *p)
{
	struct schedule schedule;
	schedule_init(&schedule);
	bool bounds = false;
	int rc = plan_on(c, m, gpus, &schedule) ? -1 : 1;
	const bool as_played = !strcmp(model, "warps"); /* by name; unasked launches timed alone
							   have their say */
	if (rc > 0 && !strcmp(model, "default"))
		rc = (model = predictor_planned_model(c->predictor, &schedule, &bounds)) ? rc : -1;
	if (rc > 0 && !strcmp(model, "scaled"))
		rc = predictor_recorded(c->predictor, &schedule) || !c->has_warps;
	const struct predictor_request request = { .kernel_model = model,
						   .as_played = as_played,
						   .set = set,
						   .seen = true,
						   .allow_extrapolation = true,
						   .bounds = bounds };
	if (rc > 0 && !strcmp(model, "warps") && !bounds)
		rc = profiled(c->predictor, &schedule, "runs", &c->said_missing);
	if (rc > 0 && predictor_run(c->predictor, &schedule, &request, p))
		rc = -1;
	if (rc > 0 && p->bounded) { /* at least that long says nothing of an error */
		prediction_release(p);
		rc = 0;
	}
	schedule_release(&schedule);
	return rc;
}

/* Bytes that must move over the rate of memory, nothing else: no launch, no host, no links. */
static double roofline_only_us(struct context *c, const struct measured_row *m, int gpus)
{
	struct schedule schedule;
	schedule_init(&schedule);
	double worst = 0;
	if (plan_on(c, m, gpus, &schedule) == 0) {
		struct kernel_model model = { .ops = kernel_model_find("roofline"),
					      .platform = &c->predictor->platform };
		for (uint32_t t = 0; t < schedule.thread_count; t++) {
			double sum = 0, ns;
			bool core = false;
			for (int64_t k = 0; k < schedule.thread[t].op_count; k++) {
				const struct schedule_op *op =
					&schedule.op[schedule.thread[t].first_op + k];
				if (op->kind == OP_MARK)
					core = op->object == MARK_CORE_BEGIN;
				if (op->kind == OP_LAUNCH && core && !(op->flags & OP_COLLECTIVE) &&
				    !model.ops->cost(&model, &schedule, &schedule.shape[op->object],
						     op, &ns))
					sum += ns;
			}
			worst = sum > worst ? sum : worst;
		}
	}
	schedule_release(&schedule);
	return worst * 1e-3;
}

/* NULL after a message. Borrowed until the next one is asked for. */
static const struct alone *alone_of(struct context *c, const struct measured_row *m)
{
	struct prediction p;
	for (size_t k = 0; k < c->alone_count; k++)
		if (!strcmp(c->alone[k].config, m->config) &&
		    !strcmp(c->alone[k].solver, m->solver))
			return &c->alone[k];
	int rc = plan_core(c, m, 1, "default", "size", &p);
	if (rc < 0)
		return NULL;
	GROW(c->alone, c->alone_count, c->alone_capacity);
	struct alone *new = &c->alone[c->alone_count++];
	*new = (struct alone){ .solver = m->solver, .config = m->config };
	if (rc > 0) {
		new->core_us = p.core_us;
		new->kernel_model = p.kernel_model;
		prediction_release(&p);
	}
	return new;
}

static const char *set_of(const struct measured_row *m)
{
	return m->gpus > 1 ? "gpus" : "size";
}

static int answer_planned(struct context *c, const struct measured_row *m, struct answers *answers)
{
	static const char *const models[] = { "default", "roofline", "zero", "scaled", "warps" };
	size_t model_count = c->how.unasked ? 1 : c->has_warps ? 5 : 4;
	const char *answered = "";
	struct prediction p;
	int rc = 0;
	for (size_t k = 0; rc >= 0 && k < model_count; k++) {
		if (!strcmp(models[k], answered))
			continue;
		rc = plan_core(c, m, m->gpus, models[k], set_of(m), &p);
		if (rc <= 0)
			continue;
		add_prediction(answers, models[k], p.kernel_model, &p);
		/* Launches timed alone make another answer of it. */
		const bool by_name =
			!k && !(c->predictor->timed.count && !strcmp(p.kernel_model, "warps"));
		answered = by_name ? p.kernel_model : answered;
		if (by_name && !p.by_bounds)
			add_prediction(answers, answered, answered, &p);
		prediction_release(&p);
	}
	if (rc >= 0 && m->gpus > 1) {
		const struct alone *one = alone_of(c, m);
		rc = one ? 0 : -1;
		if (one && one->kernel_model) {
			add_answer(answers, "linear", one->kernel_model, one->core_us / m->gpus);
			add_answer(answers, "same-as-1", one->kernel_model, one->core_us);
		}
	}
	if (rc >= 0)
		add_answer(answers, "roofline-only", "roofline", roofline_only_us(c, m, m->gpus));
	return rc < 0 ? -1 : 0;
}

/* One run of a trace, and the shapes that were recorded there. */
struct replayed {
	struct context *context;
	const struct trace *trace;
	const struct trace_joins *joins;
	const struct profile *own;
};

/* NULL after a message. */
static const struct measured_row *measured_of(const struct context *c, const struct trace *trace,
					      size_t k)
{
	const struct trace_run *run = &trace->run[k];
	const struct measured_row *m = measured_find(c->measured, trace_text(trace, run->solver),
						     trace_text(trace, run->config), run->gpus);
	if (!m)
		report("'%s' run %zu: %s on %d GPUs was never measured", trace->path, k,
		       trace_text(trace, run->config), run->gpus);
	return m;
}

static bool left_out(const struct replayed *r, size_t run)
{
	return r->context->how.solver &&
	       strcmp(trace_text(r->trace, r->trace->run[run].solver), r->context->how.solver) != 0;
}

/* Whether every launch noted what it reads and writes, which a roofline goes by. */
static bool has_footprints(const struct schedule *schedule)
{
	for (uint32_t k = 0; k < schedule->shape_count; k++)
		if (schedule->shape[k].dram_bytes <= 0)
			return false;
	return true;
}

static int answer_replayed(const struct replayed *r, size_t run, struct answers *answers)
{
	static const char *const models[] = { "default", "scaled", "roofline" };
	struct context *c = r->context;
	const size_t model_count = c->how.unasked ? 1 : sizeof(models) / sizeof(models[0]);
	struct schedule schedule;
	struct prediction p;
	const struct measured_row *m = measured_of(c, r->trace, run);
	if (!m)
		return -1;
	schedule_init(&schedule);
	int rc = schedule_from_joins(&schedule, r->joins, (int)run);
	if (!rc)
		schedule_untrace(&schedule, &c->predictor->platform);
	for (size_t k = 0; !rc && k < model_count; k++) {
		const struct predictor_request request = { .kernel_model =
								   k ? models[k] : "recorded",
							   .set = "replay",
							   .own = r->own,
							   .allow_extrapolation = true };
		if ((!strcmp(models[k], "scaled") &&
		     !predictor_recorded(c->predictor, &schedule)) ||
		    (!strcmp(models[k], "roofline") && !has_footprints(&schedule)))
			continue;
		rc = predictor_run(c->predictor, &schedule, &request, &p);
		if (rc)
			break;
		add_prediction(answers, models[k], "", &p);
		if (!k)
			add_prediction(answers, "recorded", "", &p);
		prediction_release(&p);
	}
	if (!rc)
		add_answer(answers, "roofline-only", "", roofline_only_us(c, m, m->gpus));
	schedule_release(&schedule);
	return rc;
}

static void replay_one(void *context, size_t run, void *answer)
{
	struct answers *answers = answer;
	answers->done = left_out(context, run) || answer_replayed(context, run, answers) == 0;
}

static void plan_one(void *context, size_t k, void *answer)
{
	struct context *c = context;
	struct answers *answers = answer;
	answers->done = answer_planned(c, &c->measured->row[k], answers) == 0;
}

/* Answers to `count` rows, owned by the caller; what no process has done, or could not without a
 * word, is to be done by this one, which is heard. */
static struct answers *answer_ahead(int jobs, size_t count,
				    void (*answer)(void *context, size_t k, void *answer),
				    void *context)
{
	struct answers *answers = xcalloc(count + 1, sizeof(*answers));
	const struct process_work work = { .count = count,
					   .bytes = sizeof(*answers),
					   .answer = answer,
					   .context = context,
					   .what = "validated" };
	if (jobs > 1)
		processes_run(jobs, &work, answers);
	for (size_t k = 0; k < count; k++)
		if (!answers[k].done)
			answers[k] = (struct answers){ 0 };
	return answers;
}

/* Every run of a trace file. */
static int validate_trace(struct context *c, const char *path)
{
	struct trace trace;
	struct profile own;
	trace_init(&trace);
	profile_init(&own);
	const char *slash = strrchr(path, '/');
	char *inputs = xprintf("%s,%s.ini", slash ? slash + 1 : path, c->predictor->platform.name);
	struct replayed replayed = { .context = c, .trace = &trace, .own = &own };
	int rc = trace_read(&trace, path, 0);
	if (!rc)
		profile_add_own(&own, &trace);
	struct trace_joins *joins = rc ? NULL : trace_joins_new(&trace);
	replayed.joins = joins;
	rc = joins ? rc : -1;
	struct answers *answers =
		rc ? NULL : answer_ahead(c->how.jobs, trace.run_count, replay_one, &replayed);
	for (size_t run = 0; !rc && run < trace.run_count; run++) {
		if (left_out(&replayed, run))
			continue;
		if (!answers[run].done)
			rc = answer_replayed(&replayed, run, &answers[run]);
		if (!rc)
			add_rows(c, measured_of(c, &trace, run), "replay", &answers[run], inputs);
	}
	free(answers);
	free(inputs);
	trace_joins_free(joins);
	profile_release(&own);
	trace_release(&trace);
	return rc;
}

/* The launches of a planned run, which are played with those of the others. */
static int note_planned(struct context *c, const struct measured_row *m, int gpus)
{
	struct schedule schedule;
	struct kernel_model model = { 0 };
	schedule_init(&schedule);
	int rc = plan_on(c, m, gpus, &schedule) || predictor_use_warps(c->predictor, &model) ||
				 warps_note(model.warps, &schedule)
			 ? -1
			 : 0;
	schedule_release(&schedule);
	return rc;
}

/* In the order in which the rows will ask, so that the processes are given what belongs together.
 */
static int play_ahead(struct context *c)
{
	const struct measured *all = c->measured;
	int rc = 0;
	for (size_t k = 0; !rc && k < all->count; k++) {
		const struct measured_row *m = &all->row[k];
		bool first = m->gpus > 1;
		for (size_t j = 0; j < k && first; j++)
			first = all->row[j].gpus < 2 || strcmp(all->row[j].config, m->config) ||
				strcmp(all->row[j].solver, m->solver);
		rc = note_planned(c, m, m->gpus) || (first && note_planned(c, m, 1)) ? -1 : 0;
	}
	if (!rc && c->predictor->warps)
		warps_play_pending(c->predictor->warps, c->how.jobs);
	return rc;
}

static int validate_planned(struct context *c)
{
	struct answers *answers = answer_ahead(c->how.jobs, c->measured->count, plan_one, c);
	struct progress progress;
	int rc = 0;
	progress_begin(&progress, "validated");
	for (size_t k = 0; !rc && k < c->measured->count; k++) {
		const struct measured_row *m = &c->measured->row[k];
		if (!answers[k].done)
			rc = answer_planned(c, m, &answers[k]);
		if (!rc)
			add_rows(c, m, set_of(m), &answers[k], "");
		progress_at(&progress, (int64_t)k, (int64_t)c->measured->count);
	}
	progress_end(&progress);
	free(answers);
	return rc;
}

int validate_runs(const struct program *program, struct predictor *predictor,
		  const struct measured *measured, const struct validate_how *how,
		  struct validation *validation)
{
	struct context c = { .program = program,
			     .predictor = predictor,
			     .measured = measured,
			     .validation = validation,
			     .how = *how,
			     .has_warps = predictor->platform.sm.present &&
					  warps_profiled(&predictor->warps_options) };
	glob_t found;
	char *pattern = xprintf("%s/traces/data/%s/replay/*.wrt.zst", util_root(),
				predictor_measured(predictor));
	int rc = c.has_warps && how->jobs > 1 ? play_ahead(&c) : 0;
	if (!rc && glob(pattern, 0, NULL, &found) == 0) {
		for (size_t k = 0; !rc && k < found.gl_pathc; k++)
			rc = validate_trace(&c, found.gl_pathv[k]);
		globfree(&found);
	}
	if (!rc)
		rc = validate_planned(&c);
	free(pattern);
	free(c.alone);
	return rc;
}
