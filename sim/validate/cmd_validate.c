/* SPDX-License-Identifier: MIT
 * warpreel validate: every measured configuration against what the tool answers unasked, every
 * other kernel model, and the trivial baselines. What each row read is in its `inputs` column.
 *
 *   sets replay, gpus, size  whole runs (validate_runs.h)
 *   set kernels              kernels alone (validate_kernels.h)
 *   set contention           two kernels, or a kernel and a copy, on one GPU at once
 *   sets foreign, python     programs that are none of our solvers (validate_foreign.h)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/output.h"
#include "traces/base/util.h"
#include "blind.h"
#include "interval_fit.h"
#include "measured.h"
#include "pairs.h"
#include "sim/answers/predict.h"
#include "traces/base/processes.h"
#include "validate_foreign.h"
#include "validate_kernels.h"
#include "validate_runs.h"
#include "validation.h"
#include "validation_tables.h"

struct validate_options {
	struct predictor_options common;
	const char *measured, *splits, *summary, *tables, *kernels, *pairs, *foreign, *set, *solver,
		*models, *write_timed;
	bool fit_intervals;
	int jobs; /* 0: one for each core */
};

#define AT(field) offsetof(struct validate_options, field)
static const struct option_spec own_options[] = {
	{ "o", OPTION_TEXT, AT(common.output), NULL, 0, 0, "FILE",
	  "write a row for each configuration and model there" },
	{ "measured", OPTION_TEXT, AT(measured), NULL, 0, 0, "FILE",
	  "measurements (default: traces/data/<platform>/measured.tsv)" },
	{ "splits", OPTION_TEXT, AT(splits), NULL, 0, 0, "FILE",
	  "what is development, interval or blind (default: model/splits.tsv)" },
	{ "kernels", OPTION_TEXT, AT(kernels), NULL, 0, 0, "FILE",
	  "measured kernel times (default: traces/data/<platform>/kernels.tsv)" },
	{ "pairs", OPTION_TEXT, AT(pairs), NULL, 0, 0, "FILE",
	  "measured pairs (default: traces/data/<platform>/pairs.tsv)" },
	{ "foreign", OPTION_TEXT, AT(foreign), NULL, 0, 0, "FILE",
	  "measured programs of others (default: traces/data/<platform>/foreign.tsv)" },
	{ "only", OPTION_CHOICE, AT(set), "all", 0, 0, "all|runs|kernels|contention|foreign",
	  "which sets" },
	{ "solver", OPTION_TEXT, AT(solver), NULL, 0, 0, "NAME",
	  "of whole runs those of this solver alone" },
	{ "models", OPTION_CHOICE, AT(models), "all", 0, 0, "all|default",
	  "of whole runs every kernel model, or what is answered unasked and the baselines" },
	{ "summary", OPTION_TEXT, AT(summary), NULL, 0, 0, "FILE",
	  "write the summary there as well" },
	{ "tables", OPTION_TEXT, AT(tables), NULL, 0, 0, "FOLDER",
	  "write ranking.tsv, strata.tsv, parts.tsv and blind.tsv there" },
	{ "fit-intervals", OPTION_FLAG, AT(fit_intervals), NULL, 0, 0, NULL,
	  "write model/intervals/<platform>.tsv from the interval rows" },
	{ "jobs", OPTION_INT, AT(jobs), "0", 0, PROCESSES_MOST, "N",
	  "work in so many processes (0: one for each core)" },
	PREDICTOR_TIMED_OPTION(AT(common.timed)),
	{ "write-timed", OPTION_TEXT, AT(write_timed), NULL, 0, 0, "FILE",
	  "write what the development rows of kernels alone took there, for --timed" },
	PREDICTOR_IDEAL_OPTION(AT(common.ideal)),
	{ "without", OPTION_TEXT, AT(common.without), NULL, 0, 0, "NAME[,NAME]",
	  "leave mechanisms out of the models (all: all of them), to see what they are worth" },
	{ "kernel-profiles", OPTION_TEXT, AT(common.kernel_profiles), NULL, 0, 0, "TRACE",
	  "kernel profiles for the warps model (default: the platform's)" },
	{ "profile", OPTION_TEXT, AT(common.profile), NULL, 0, 0, "TRACE",
	  "one-GPU trace for the scaled model (default: the platform's)" },
	{ 0 },
};

struct context {
	const struct program *program;
	struct predictor *predictor;
	struct timed_launches *timed; /* to write; NULL: nobody asks */
	struct validation validation;
};

/* `sum` and `max`: one after the other, and nothing slows. `+alone`: from the measured times alone,
 * so that only the slowing is predicted. */
static int validate_pair(struct context *c, const struct pair_row *row)
{
	struct pair_answer a;
	if (pair_predict(c->program, c->predictor, row, &a))
		return -1;
	const double *by_model = a.alone_ns, *by_clock = row->alone_ns;
	const struct {
		const char *model;
		double ns;
	} answers[] = {
		{ "warps", a.both_ns },
		{ "sum", by_model[0] + by_model[1] },
		{ "max", fmax(by_model[0], by_model[1]) },
		{ "warps+alone", a.both_of_alone_ns },
		{ "sum+alone", by_clock[0] + by_clock[1] },
		{ "max+alone", fmax(by_clock[0], by_clock[1]) },
	};
	char *config = xprintf("%s | %s", row->side[0], row->side[1]),
	     *inputs = predictor_inputs(c->predictor, "warps", true);
	const struct measured_row m = { .solver = row->name,
					.config = config,
					.gpus = 1,
					.visits = 1,
					.core_us = row->both_ns * 1e-3,
					.core_mad_us = row->mad_ns * 1e-3 };
	for (size_t k = 0; k < sizeof(answers) / sizeof(answers[0]); k++)
		validation_add(&c->validation, &m, "contention", answers[k].model,
			       answers[k].ns * 1e-3, inputs)
			->extrapolated = a.extrapolated;
	free(config);
	free(inputs);
	return 0;
}

static int validate_pairs(struct context *c, const struct validate_options *o, const char *path)
{
	struct pairs pairs = { 0 };
	bool needed = o->pairs || strcmp(o->set, "all");
	int rc = 0;
	if (needed && !c->predictor->platform.sm.present)
		rc = report("platform '%s' has no [sm] section, which the set 'contention' needs",
			    c->predictor->platform.name);
	else if (needed || (access(path, R_OK) == 0 && c->predictor->platform.sm.present))
		rc = pairs_read(&pairs, path);
	for (size_t k = 0; !rc && k < pairs.count; k++)
		rc = validate_pair(c, &pairs.row[k]);
	pairs_release(&pairs);
	return rc;
}

/* Given or shipped; owned. */
struct tables {
	char *measured, *splits, *kernels, *pairs, *foreign, *blind, *intervals;
};

static char *of_platform(const char *given, const char *before, const struct predictor *p,
			 const char *after)
{
	return given ? xstrdup(given)
		     : xprintf("%s/%s/%s%s", util_root(), before, predictor_measured(p), after);
}

static void name_tables(struct tables *t, const struct validate_options *o,
			const struct predictor *p)
{
	t->measured = of_platform(o->measured, "traces/data", p, "/measured.tsv");
	t->kernels = of_platform(o->kernels, "traces/data", p, "/kernels.tsv");
	t->pairs = of_platform(o->pairs, "traces/data", p, "/pairs.tsv");
	t->foreign = of_platform(o->foreign, "traces/data", p, "/foreign.tsv");
	t->blind = of_platform(NULL, "traces/data", p, "/blind.tsv");
	t->intervals = of_platform(NULL, "model/intervals", p, ".tsv");
	t->splits = o->splits ? xstrdup(o->splits) : xprintf("%s/model/splits.tsv", util_root());
}

static void tables_release(struct tables *t)
{
	free(t->measured);
	free(t->splits);
	free(t->kernels);
	free(t->pairs);
	free(t->foreign);
	free(t->blind);
	free(t->intervals);
}

/* Nothing that is read is written over, nothing is written twice, and what cannot be written is
 * said before the work. */
static int check_outputs(const struct validate_options *o, const struct tables *t,
			 const struct predictor *p)
{
	const char *const written[] = { o->common.output, o->summary, o->write_timed,
					o->fit_intervals ? t->intervals : NULL };
	const char *const read[] = { t->measured,
				     t->splits,
				     t->kernels,
				     t->pairs,
				     t->foreign,
				     o->common.profile,
				     o->common.kernel_profiles,
				     p->timed.path,
				     p->platform.path,
				     o->fit_intervals ? NULL : t->intervals };
	const size_t outputs = sizeof(written) / sizeof(written[0]);
	for (size_t k = 0; k < outputs; k++) {
		for (size_t i = 0; written[k] && i < sizeof(read) / sizeof(read[0]); i++)
			if (output_differs(written[k], read[i]))
				return -1;
		for (size_t other = k + 1; other < outputs; other++)
			if (outputs_differ(written[k], written[other]))
				return -1;
		if (written[k] && output_check(written[k]))
			return -1;
	}
	return o->tables ? validation_check_tables(o->tables) : 0;
}

/* Whether options are given that do not go together: -1, after a message. */
static int contradict(const struct validate_options *o)
{
	const bool unasked = !strcmp(o->models, "default");
	if ((o->solver || unasked) && strcmp(o->set, "all") && strcmp(o->set, "runs")) {
		report("--%s goes by whole runs, and --only %s leaves them out",
		       o->solver ? "solver" : "models", o->set);
		return -1;
	}
	if ((o->solver || unasked) && o->fit_intervals) {
		report("--fit-intervals goes by all runs and kernel models: not with --%s",
		       o->solver ? "solver" : "models");
		return -1;
	}
	if (o->write_timed && strcmp(o->set, "all") && strcmp(o->set, "kernels")) {
		report("--write-timed goes by kernels alone, and --only %s leaves them out",
		       o->set);
		return -1;
	}
	if (o->common.without && o->fit_intervals) {
		report("--fit-intervals goes by the whole models: not with --without");
		return -1;
	}
	return 0;
}

/* Answers for whole runs of one platform. */
static int validate_measured(struct context *c, const struct validate_options *o,
			     const struct tables *tables, const struct validate_how *how)
{
	struct measured runs = { 0 };
	int rc = measured_read(&runs, tables->measured,
			       platform_text(&c->predictor->platform, "platform.input_visits"));
	if (!rc && o->solver && !measured_keep(&runs, o->solver))
		rc = report("'%s' has no runs of '%s'", tables->measured, o->solver);
	if (!rc)
		rc = validate_runs(c->program, c->predictor, &runs, how, &c->validation);
	measured_release(&runs);
	return rc ? -1 : 0;
}

/* Answers for all sets that --only names. */
static int validate_sets(struct context *c, const struct validate_options *o,
			 const struct tables *tables, const struct validate_how *how)
{
	const bool all = !strcmp(o->set, "all");
	int rc = 0;
	if (all || !strcmp(o->set, "runs"))
		rc = validate_measured(c, o, tables, how);
	if (!rc && (all || !strcmp(o->set, "kernels")))
		rc = validate_kernels(c->program, c->predictor, o->kernels, !all, how->jobs,
				      c->timed, &c->validation);
	if (!rc && (all || !strcmp(o->set, "contention")))
		rc = validate_pairs(c, o, tables->pairs);
	if (!rc && (!strcmp(o->set, "foreign") ||
		    (all && (o->foreign || access(tables->foreign, R_OK) == 0))))
		rc = validate_foreign(c->predictor, tables->foreign, &c->validation);
	return rc;
}

static int fit_intervals(const struct validation *v, const struct tables *tables)
{
	struct blind blind = { 0 };
	int rc = access(tables->blind, R_OK) == 0 ? blind_read(&blind, tables->blind) : 0;
	if (!rc)
		rc = validation_fit_intervals(v, &blind, tables->intervals);
	blind_release(&blind);
	return rc;
}

static int write_outputs(struct validation *v, const struct timed_launches *timed,
			 const struct validate_options *o, const struct tables *tables)
{
	int rc = 0;
	if (o->common.output)
		rc = validation_write_file(v, o->common.output, validation_write);
	if (!rc && o->summary)
		rc = validation_write_file(v, o->summary, validation_summary);
	if (!rc && o->tables)
		rc = validation_write_tables(
			v,
			&(struct blind_inputs){ tables->blind, tables->measured, tables->kernels },
			o->tables);
	if (!rc && o->fit_intervals)
		rc = fit_intervals(v, tables);
	if (!rc && o->write_timed)
		rc = timed_launches_write(timed, o->write_timed);
	return rc;
}

int cmd_validate(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "validate", "validate [options]",
					   "Predictions against measurements; prints a summary." };
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
	o.common.allow_extrapolation =
		true; /* every row is answered, and says when it would have been refused */
	struct predictor predictor;
	struct timed_launches timed = { 0 };
	struct context c = { .program = program,
			     .predictor = &predictor,
			     .timed = o.write_timed ? &timed : NULL };
	const struct validate_how how = { .solver = o.solver,
					  .unasked = !strcmp(o.models, "default"),
					  .jobs = o.jobs ? o.jobs : processes_most() };
	size_t params_bytes;
	if (o.solver && !program->solver_options(o.solver, &params_bytes))
		return EXIT_USAGE;
	if (contradict(&o))
		return EXIT_USAGE;
	if (predictor_init(&predictor, program, &o.common, true))
		return EXIT_BAD;
	if (o.common.ideal.count)
		predictor.warps_options.before = NULL; /* what a part is to the model is asked here:
							  no bound by the device that has it */
	predictor.but_itself = true;
	predictor.warps_options.allow_extrapolation = true; /* rows say where that was needed */
	const char *device = platform_text(&predictor.platform, "device.name");
	timed.device = device ? xstrdup(device) : NULL;
	struct tables tables;
	name_tables(&tables, &o, &predictor);
	rc = check_outputs(&o, &tables, &predictor);
	struct splits splits = { 0 };
	if (!rc)
		rc = splits_read(&splits, tables.splits, predictor_measured(&predictor));
	c.validation.splits = &splits;
	c.validation.program = c.program;
	c.validation.timed = predictor.timed.count > 0;
	if (!rc)
		rc = validate_sets(&c, &o, &tables, &how);
	if (!rc)
		validation_leave_out(&c.validation, &predictor.intervals);
	if (!rc)
		rc = write_outputs(&c.validation, &timed, &o, &tables);
	if (!rc)
		validation_summary(&c.validation, stdout);
	tables_release(&tables);
	splits_release(&splits);
	timed_launches_release(&timed);
	validation_release(&c.validation);
	predictor_release(&predictor);
	return rc ? EXIT_BAD : EXIT_OK;
}
