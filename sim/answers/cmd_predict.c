/* SPDX-License-Identifier: MIT
 * warpreel predict: a run nobody has made, from the driver's own plan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "choose_fastest.h"
#include "own_platform.h"
#include "platform_choice.h"
#include "predict.h"
#include "solver_command.h"
#include "unused_options.h"
#include "sim/cosim/cosim_answer.h"

struct predict_options {
	struct predictor_options common;
	int gpus;
	struct cosim_options cosim;
};

static const struct option_spec own_options[] = {
	{ "gpus", OPTION_INT, offsetof(struct predict_options, gpus), "1", 1, 64, "G",
	  "GPUs, and host threads" },
	COSIM_OPTIONS(offsetof(struct predict_options, cosim)),
	{ 0 },
};

/* Seconds and steps of a solver whose blocks go on without order. */
static int co_simulate(const struct program *program, const char *solver, void *params,
		       const struct predict_options *o)
{
	struct chaos_case c;
	char *config = program->config_of(solver, params, (uint32_t)o->gpus);
	if (!config)
		return EXIT_BAD;
	int rc = EXIT_BAD;
	if (!program->chaos(solver, params, &c)) {
		rc = cosim_answer(&c, solver, config, &o->cosim, !strcmp(o->common.format, "tsv"));
		c.ops->close(&c);
	}
	free(config);
	return rc;
}

static int answer(const struct program *program, const char *solver, void *params,
		  size_t params_bytes, const struct predict_options *o)
{
	struct planned_run run;
	struct predictor predictor;
	struct platform_choice choice = { 0 };
	struct predictor_options common = o->common;
	const char *model = predictor_model(&o->common, "scaled");
	int rc = -1;
	if (!model ||
	    choose_fastest(program, solver, params, params_bytes, (uint32_t)o->gpus, &o->common))
		return -1;
	char *config = unused_config(program, solver, params, params_bytes, (uint32_t)o->gpus);
	if (!config)
		return -1;
	if (planned_run_make(&run, program, solver, config, (uint32_t)o->gpus,
			     common.no_skip || common.output) == 0 &&
	    platform_choose(&choice, &common, NULL, o->gpus) == 0 &&
	    platform_choice_init(&choice, &predictor, program, &common, true) == 0) {
		rc = predictor_answer(&predictor, &run, &common, model,
				      o->gpus > 1 ? "gpus" : "size", NULL);
		predictor_release(&predictor);
	}
	if (!rc && program->chaotic(solver, params) && strcmp(common.format, "tsv"))
		printf("  note: when values arrive decides how many steps such a run takes: "
		       "--co-simulate plays both together\n");
	platform_choice_release(&choice);
	planned_run_release(&run);
	free(config);
	return rc;
}

static int co_simulated(const struct program *program, const struct solver_command *c,
			struct predict_options *o)
{
	const char *unread = unused_by_cosim(&o->common);
	if (!unread)
		return co_simulate(program, c->solver, c->params, o);
	report("--co-simulate does not look at %s%s", unread[1] ? "--" : "-", unread);
	return EXIT_USAGE;
}

static int planned(const struct program *program, const struct solver_command *c,
		   struct predict_options *o)
{
	for (const struct option_spec *spec = own_options; spec->name; spec++)
		if (spec->offset >= offsetof(struct predict_options, cosim) &&
		    !option_is_standard(spec, o)) {
			report("--%s is of --co-simulate, which was not asked for", spec->name);
			return EXIT_USAGE;
		}
	if (predictor_check_output(&o->common, NULL))
		return EXIT_BAD;
	char *platform = own_platform(o->common.platform);
	o->common.platform = platform;
	const int rc = answer(program, c->solver, c->params, c->params_bytes, o);
	free(platform);
	return rc ? EXIT_BAD : EXIT_OK;
}

int cmd_predict(const struct program *program, int argc, char **argv)
{
	struct solver_command c;
	struct option_spec *own = options_join(own_options, predictor_options, 0);
	if (solver_command_begin(&c, program, "predict",
				 "Predicts a solver run from its plan; no trace of that run is "
				 "needed.",
				 own, sizeof(struct predict_options), argc, argv)) {
		free(own);
		return EXIT_USAGE;
	}
	struct predict_options *o = c.options;
	char **again = xmalloc((size_t)argc * sizeof(*again)); /* argv changes as it is read */
	memcpy(again, argv, (size_t)argc * sizeof(*again));
	int words, parsed = options_parse(&c.help, c.specs, o, argc, argv, &words);
	if (!parsed && o->cosim.asked) { /* that computes, and knows when to stop */
		free(c.specs);
		c.specs = options_join(own, program->solver_options(c.solver, &c.params_bytes),
				       sizeof(struct predict_options));
		parsed = options_parse(&c.help, c.specs, o, argc, again, &words);
	}
	int rc = solver_command_ends(&c, "predict", parsed, words, argv);
	if (rc < 0)
		rc = o->cosim.asked ? co_simulated(program, &c, o) : planned(program, &c, o);
	solver_command_release(&c);
	free(again);
	free(own);
	return rc;
}
