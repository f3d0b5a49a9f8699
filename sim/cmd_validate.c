/* SPDX-License-Identifier: MIT
 * warpreel validate: every measured configuration against what the tool answers unasked, every other kernel model, and the trivial
 * baselines. What each row read is in its `inputs` column.
 *
 *   set replay   the run's own trace (G as recorded)
 *   set gpus     G > 1, from the plan, one-GPU inputs and the platform file only
 *   set size     one GPU, from the same
 *   set kernels  kernels alone (validate_kernels.h)
 *   set contention  two kernels, or a kernel and a copy, on one GPU at once
 */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../traces/util.h"
#include "measured.h"
#include "pairs.h"
#include "predict.h"
#include "processes.h"
#include "untrace.h"
#include "validate_kernels.h"
#include "validation.h"

struct validate_options {
	struct predictor_options common;
	const char *measured, *holdout, *summary, *kernels, *pairs, *set;
	bool fit_intervals;
	int jobs; /* 0: one for each core */
};

#define AT(field) offsetof(struct validate_options, field)
static const struct option_spec own_options[] = {
	{ "o", OPTION_TEXT, AT(common.output), NULL, 0, 0, "FILE", "write a row for each configuration and model there" },
	{ "measured", OPTION_TEXT, AT(measured), NULL, 0, 0, "FILE", "measurements (default: traces/data/<platform>/measured.tsv)" },
	{ "holdout", OPTION_TEXT, AT(holdout), NULL, 0, 0, "FILE", "held-out configurations (default: model/holdout.tsv)" },
	{ "kernels", OPTION_TEXT, AT(kernels), NULL, 0, 0, "FILE", "measured kernel times (default: traces/data/<platform>/kernels.tsv)" },
	{ "pairs", OPTION_TEXT, AT(pairs), NULL, 0, 0, "FILE", "measured pairs (default: traces/data/<platform>/pairs.tsv)" },
	{ "only", OPTION_CHOICE, AT(set), "all", 0, 0, "all|runs|kernels|contention", "which sets" },
	{ "summary", OPTION_TEXT, AT(summary), NULL, 0, 0, "FILE", "write the summary there as well" },
	{ "fit-intervals", OPTION_FLAG, AT(fit_intervals), NULL, 0, 0, NULL, "write model/intervals/<platform>.tsv from the fit rows" },
	{ "jobs", OPTION_INT, AT(jobs), "0", 0, PROCESSES_MOST, "N", "play launches in so many processes (0: one for each core)" },
	PREDICTOR_IDEAL_OPTION(AT(common.ideal)),
	{ "kernel-profiles", OPTION_TEXT, AT(common.kernel_profiles), NULL, 0, 0, "TRACE", "kernel profiles for the warps model (default: the platform's)" },
	{ "profile", OPTION_TEXT, AT(common.profile), NULL, 0, 0, "TRACE", "one-GPU trace for the scaled model (default: the platform's)" },
	{ 0 },
};

/* What one GPU takes: several rows ask for the same. Texts are those of the first such row. */
struct alone { const char *solver, *config, *kernel_model /* NULL: the model has no answer */; double core_us; };

struct context {
	const struct program *program;
	struct predictor *predictor;
	struct measured measured;
	int jobs;
	bool has_warps; /* the platform has an inside and profiles of kernels */
	bool said_missing; /* that some kernel has no profile */
	struct validation validation;
	struct alone *alone; size_t alone_count, alone_capacity;
};

static void add_prediction(struct context *c, const struct measured_row *m, const char *set, const char *model,
			   const struct prediction *p, const char *inputs)
{
	struct validation_row *row = validation_add(&c->validation, m, set, model, p->core_us, inputs);
	double kernels = 0;
	row->lo_us = p->core_lo_us;
	row->hi_us = p->core_hi_us;
	row->extrapolated = p->extrapolated;
	for (uint32_t g = 0; g < p->detail.gpu_count; g++)
		kernels += (double)p->detail.gpu[g].kernel_ps / p->detail.gpu_count;
	snprintf(row->class_name, sizeof(row->class_name), "%s",
		 interval_class(m->gpus, m->config, p->detail.core_ps ? kernels / (double)p->detail.core_ps : 0, p->kernel_model));
}

/* Whether the model `warps` has an answer: it has none of runs that launch kernels without profile, which is said once. -1 after a message. */
static int warps_answers(struct context *c, const struct schedule *schedule)
{
	struct kernel_model model = { 0 };
	if (predictor_use_warps(c->predictor, &model))
		return -1;
	const char *missing = warps_missing(model.warps, schedule);
	if (missing && !c->said_missing)
		report_warning("kernel '%s' has no profile in %s: runs that launch it have no rows of the model 'warps'", missing,
			       warps_source(model.warps));
	c->said_missing |= missing != NULL;
	return !missing;
}

/* Core time of a planned run: 1, or 0 where the model has no answer; -1 after a message. */
static int plan_core(struct context *c, const struct measured_row *m, int gpus, const char *model, const char *set, struct prediction *p)
{
	struct schedule schedule;
	schedule_init(&schedule);
	int rc = c->program->plan(m->solver, m->config, (uint32_t)gpus, &schedule) ? -1 : 1;
	if (rc > 0 && !strcmp(model, "default"))
		rc = (model = predictor_planned_model(c->predictor, &schedule)) ? rc : -1;
	if (rc > 0 && !strcmp(model, "scaled"))
		rc = predictor_recorded(c->predictor, &schedule) || !c->has_warps;
	const struct predictor_request request = { .kernel_model = model, .set = set, .allow_extrapolation = true };
	if (rc > 0 && !strcmp(model, "warps"))
		rc = warps_answers(c, &schedule);
	if (rc > 0 && predictor_run(c->predictor, &schedule, &request, p))
		rc = -1;
	schedule_release(&schedule);
	return rc;
}

/* Bytes that must move over the rate of memory, nothing else: no launch, no host, no links. */
static double roofline_only_us(struct context *c, const struct measured_row *m, int gpus)
{
	struct schedule schedule;
	schedule_init(&schedule);
	double worst = 0;
	if (c->program->plan(m->solver, m->config, (uint32_t)gpus, &schedule) == 0) {
		struct kernel_model model = { .ops = kernel_model_find("roofline"), .platform = &c->predictor->platform };
		for (uint32_t t = 0; t < schedule.thread_count; t++) {
			double sum = 0, ns;
			bool core = false;
			for (int64_t k = 0; k < schedule.thread[t].op_count; k++) {
				const struct schedule_op *op = &schedule.op[schedule.thread[t].first_op + k];
				if (op->kind == OP_MARK)
					core = op->object == MARK_CORE_BEGIN;
				if (op->kind == OP_LAUNCH && core && !model.ops->cost(&model, &schedule, &schedule.shape[op->object], op, &ns))
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
		if (!strcmp(c->alone[k].config, m->config) && !strcmp(c->alone[k].solver, m->solver))
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

static int validate_planned(struct context *c, const struct measured_row *m)
{
	static const char *const models[] = { "default", "roofline", "zero", "scaled", "warps" };
	size_t model_count = c->has_warps ? 5 : 4;
	const char *answered = "";
	const char *set = m->gpus > 1 ? "gpus" : "size";
	struct prediction p;
	int rc = 0;
	for (size_t k = 0; rc >= 0 && k < model_count; k++) {
		if (!strcmp(models[k], answered))
			continue;
		rc = plan_core(c, m, m->gpus, models[k], set, &p);
		if (rc <= 0)
			continue;
		char *inputs = predictor_inputs(c->predictor, p.kernel_model);
		add_prediction(c, m, set, models[k], &p, inputs);
		answered = k ? answered : p.kernel_model;
		if (!k)
			add_prediction(c, m, set, answered, &p, inputs);
		free(inputs);
		prediction_release(&p);
	}
	if (rc >= 0 && m->gpus > 1) {
		const struct alone *one = alone_of(c, m);
		rc = one ? 0 : -1;
		if (one && one->kernel_model) {
			char *inputs = predictor_inputs(c->predictor, one->kernel_model);
			validation_add(&c->validation, m, set, "linear", one->core_us / m->gpus, inputs);
			validation_add(&c->validation, m, set, "same-as-1", one->core_us, inputs);
			free(inputs);
		}
	}
	char *only = predictor_inputs(c->predictor, "roofline");
	if (rc >= 0)
		validation_add(&c->validation, m, set, "roofline-only", roofline_only_us(c, m, m->gpus), only);
	free(only);
	return rc < 0 ? -1 : 0;
}

static int validate_run(struct context *c, const struct trace *trace, const struct profile *own, int run, const char *inputs)
{
	static const char *const models[] = { "default", "scaled", "roofline" };
	struct schedule schedule;
	struct prediction p;
	const char *solver = trace_text(trace, trace->run[run].solver), *config = trace_text(trace, trace->run[run].config);
	const struct measured_row *m = measured_find(&c->measured, solver, config, trace->run[run].gpus);
	if (!m)
		return report("'%s' run %d: %s on %d GPUs was never measured", trace->path, run, config, trace->run[run].gpus);
	schedule_init(&schedule);
	int rc = schedule_from_trace(&schedule, trace, run);
	if (!rc)
		schedule_untrace(&schedule, &c->predictor->platform);
	for (size_t k = 0; !rc && k < sizeof(models) / sizeof(models[0]); k++) {
		const struct predictor_request request = { .kernel_model = k ? models[k] : "recorded", .set = "replay", .own = own,
							   .allow_extrapolation = true };
		if (!strcmp(models[k], "scaled") && !predictor_recorded(c->predictor, &schedule))
			continue;
		rc = predictor_run(c->predictor, &schedule, &request, &p);
		if (rc)
			break;
		add_prediction(c, m, "replay", models[k], &p, inputs);
		if (!k)
			add_prediction(c, m, "replay", "recorded", &p, inputs);
		prediction_release(&p);
	}
	if (!rc)
		validation_add(&c->validation, m, "replay", "roofline-only", roofline_only_us(c, m, m->gpus), inputs);
	schedule_release(&schedule);
	return rc;
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
	int rc = trace_read(&trace, path, 0) || profile_add_trace(&own, &trace, INT32_MAX) ? -1 : 0;
	for (int run = 0; !rc && run < (int)trace.run_count; run++)
		rc = validate_run(c, &trace, &own, run, inputs);
	free(inputs);
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
	int rc = c->program->plan(m->solver, m->config, (uint32_t)gpus, &schedule) || predictor_use_warps(c->predictor, &model) ||
		 warps_note(model.warps, &schedule) ? -1 : 0;
	schedule_release(&schedule);
	return rc;
}

/* In the order in which the rows will ask, so that the processes are given what belongs together. */
static int play_ahead(struct context *c)
{
	const struct measured *all = &c->measured;
	int rc = 0;
	for (size_t k = 0; !rc && k < all->count; k++) {
		const struct measured_row *m = &all->row[k];
		bool first = m->gpus > 1;
		for (size_t j = 0; j < k && first; j++)
			first = all->row[j].gpus < 2 || strcmp(all->row[j].config, m->config) || strcmp(all->row[j].solver, m->solver);
		rc = note_planned(c, m, m->gpus) || (first && note_planned(c, m, 1)) ? -1 : 0;
	}
	if (!rc && c->predictor->warps)
		warps_play_noted(c->predictor->warps, c->jobs);
	return rc;
}

static int validate_all(struct context *c)
{
	int rc = 0;
	c->has_warps = c->predictor->platform.sm.present && warps_profiled(&c->predictor->warps_options);
	if (c->has_warps && c->jobs > 1 && play_ahead(c))
		return -1;
	struct progress progress;
	glob_t found;
	char *pattern = xprintf("%s/traces/data/%s/replay/*.wrt.zst", util_root(), predictor_measured(c->predictor));
	progress_begin(&progress, "validated");
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t k = 0; !rc && k < found.gl_pathc; k++)
			rc = validate_trace(c, found.gl_pathv[k]);
		globfree(&found);
	}
	for (size_t k = 0; !rc && k < c->measured.count; k++) {
		rc = validate_planned(c, &c->measured.row[k]);
		progress_at(&progress, (int64_t)k, (int64_t)c->measured.count);
	}
	progress_end(&progress);
	free(pattern);
	return rc;
}

/* `sum` and `max`: one after the other, and nothing slows. `+alone`: from the measured times alone, so that only the slowing is predicted. */
static int validate_pair(struct context *c, const struct pair_row *row)
{
	struct pair_answer a;
	if (pair_predict(c->program, c->predictor, row, &a))
		return -1;
	const double *by_model = a.alone_ns, *by_clock = row->alone_ns;
	const struct { const char *model; double ns; } answers[] = {
		{ "warps", a.both_ns }, { "sum", by_model[0] + by_model[1] }, { "max", fmax(by_model[0], by_model[1]) },
		{ "warps+alone", a.both_of_alone_ns }, { "sum+alone", by_clock[0] + by_clock[1] }, { "max+alone", fmax(by_clock[0], by_clock[1]) },
	};
	char *config = xprintf("%s | %s", row->side[0], row->side[1]), *inputs = predictor_inputs(c->predictor, "warps");
	const struct measured_row m = { .solver = row->name, .config = config, .gpus = 1, .visits = 1, .core_us = row->both_ns * 1e-3,
					.core_mad_us = row->mad_ns * 1e-3, .holdout = row->holdout };
	for (size_t k = 0; k < sizeof(answers) / sizeof(answers[0]); k++)
		validation_add(&c->validation, &m, "contention", answers[k].model, answers[k].ns * 1e-3, inputs)->extrapolated = a.extrapolated;
	free(config);
	free(inputs);
	return 0;
}

static int validate_pairs(struct context *c, const struct validate_options *o)
{
	struct pairs pairs = { 0 };
	char *path = o->pairs ? xstrdup(o->pairs) : xprintf("%s/traces/data/%s/pairs.tsv", util_root(), predictor_measured(c->predictor));
	bool needed = o->pairs || strcmp(o->set, "all");
	int rc = 0;
	if (needed && !c->predictor->platform.sm.present)
		rc = report("platform '%s' has no [sm] section, which the set 'contention' needs", c->predictor->platform.name);
	else if (needed || (access(path, R_OK) == 0 && c->predictor->platform.sm.present))
		rc = pairs_read(&pairs, path);
	for (size_t k = 0; !rc && k < pairs.count; k++)
		rc = validate_pair(c, &pairs.row[k]);
	pairs_release(&pairs);
	free(path);
	return rc;
}

static int write_table(const struct validation *v, const char *path, void (*write)(const struct validation *, FILE *))
{
	struct output output;
	output_begin(&output, path);
	FILE *out = fopen(output.part_path, "w");
	if (!out) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	write(v, out);
	if (fflush(out) | ferror(out) | fclose(out)) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}

int cmd_validate(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "validate", "validate [options]", "Predictions against measurements; prints a summary." };
	struct option_spec *specs = options_join(own_options, predictor_platform_options, 0);
	struct validate_options o = { 0 };
	int words, rc = options_parse(&help, specs, &o, argc, argv, &words);
	free(specs);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words) {
		report("validate takes no words, only options");
		return EXIT_USAGE;
	}
	if (o.common.output && output_check(o.common.output))
		return EXIT_BAD;
	o.common.allow_extrapolation = true; /* every row is answered, and says when it would have been refused */
	struct predictor predictor;
	struct context c = { .program = program, .predictor = &predictor, .jobs = o.jobs ? o.jobs : processes_most() };
	if (predictor_init(&predictor, &o.common, true))
		return EXIT_BAD;
	if (o.common.ideal.count)
		predictor.warps_options.before = NULL; /* what a part is to the model is asked here: no bound by the device that has it */
	predictor.warps_options.allow_extrapolation = true; /* rows say where that was needed */
	char *measured = o.measured ? xstrdup(o.measured) : xprintf("%s/traces/data/%s/measured.tsv", util_root(), predictor_measured(&predictor));
	char *holdout = o.holdout ? xstrdup(o.holdout) : xprintf("%s/model/holdout.tsv", util_root());
	char *intervals = xprintf("%s/model/intervals/%s.tsv", util_root(), predictor_measured(&predictor));
	bool all = !strcmp(o.set, "all");
	if (all || !strcmp(o.set, "runs"))
		rc = measured_read(&c.measured, measured, platform_text(&predictor.platform, "platform.input_visits")) ||
		     measured_mark_holdout(&c.measured, holdout) || validate_all(&c) ? -1 : 0;
	if (!rc && (all || !strcmp(o.set, "kernels")))
		rc = validate_kernels(program, &predictor, o.kernels, !all, c.jobs, &c.validation);
	if (!rc && (all || !strcmp(o.set, "contention")))
		rc = validate_pairs(&c, &o);
	if (!rc && o.common.output)
		rc = write_table(&c.validation, o.common.output, validation_write);
	if (!rc && o.summary)
		rc = write_table(&c.validation, o.summary, validation_summary);
	if (!rc && o.fit_intervals)
		rc = validation_fit_intervals(&c.validation, intervals);
	if (!rc)
		validation_summary(&c.validation, stdout);
	free(measured);
	free(holdout);
	free(intervals);
	free(c.alone);
	validation_release(&c.validation);
	measured_release(&c.measured);
	predictor_release(&predictor);
	return rc ? EXIT_BAD : EXIT_OK;
}
