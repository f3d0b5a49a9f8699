/* SPDX-License-Identifier: MIT
 * warpreel predict: a run nobody has made, from the driver's own plan.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "choose.h"
#include "own_platform.h"
#include "platform_choice.h"
#include "predict.h"
#include "unread.h"
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
	    choose_way(program, solver, params, params_bytes, (uint32_t)o->gpus, &o->common))
		return -1;
	char *config = program->config_of(solver, params, (uint32_t)o->gpus);
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
	platform_choice_release(&choice);
	planned_run_release(&run);
	free(config);
	return rc;
}

int cmd_predict(const struct program *program, int argc, char **argv)
{
	const bool named = argc > 1 && argv[1][0] != '-';
	const char *solver = named ? argv[1] : "rbsor";
	size_t params_bytes;
	const struct option_spec *solver_specs = program->solver_options(solver, &params_bytes);
	if (!solver_specs)
		return EXIT_USAGE;
	char *names = program->solver_names();
	struct command_help help = options_solver_help(
		"predict", named ? solver : NULL, solver, names,
		"Predicts a solver run from its plan; no trace of that run is needed.");
	struct option_spec *own = options_join(own_options, predictor_options, 0);
	struct option_spec *specs = options_join(own, solver_specs, sizeof(struct predict_options));
	struct predict_options *o = xcalloc(1, sizeof(*o) + params_bytes);
	char **again = xmalloc((size_t)argc * sizeof(*again)); /* argv changes as it is read */
	memcpy(again, argv, (size_t)argc * sizeof(*again));
	options_restate(specs, program->planned_standards(solver));
	int words, rc = options_parse(&help, specs, o, argc, argv, &words);
	if (!rc && o->cosim.asked) { /* that computes, and knows when to stop */
		free(specs);
		specs = options_join(own, solver_specs, sizeof(struct predict_options));
		rc = options_parse(&help, specs, o, argc, again, &words);
	}
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
	} else if (words != 1) {
		report("name one solver of %s: warpreel predict SOLVER [options]", names);
		rc = EXIT_USAGE;
	} else if (o->cosim.asked && unread_by_cosim(&o->common)) {
		const char *unread = unread_by_cosim(&o->common);
		report("--co-simulate does not look at %s%s", unread[1] ? "--" : "-", unread);
		rc = EXIT_USAGE;
	} else if (o->cosim.asked) {
		rc = co_simulate(program, solver, o + 1, o);
	} else if (predictor_check_output(&o->common, NULL)) {
		rc = EXIT_BAD;
	} else {
		char *platform = own_platform(o->common.platform);
		o->common.platform = platform;
		rc = answer(program, solver, o + 1, params_bytes, o) ? EXIT_BAD : EXIT_OK;
		free(platform);
	}
	free(o);
	free(again);
	free(specs);
	free(own);
	options_solver_help_release(&help);
	free(names);
	return rc;
}
