/* SPDX-License-Identifier: MIT */
#include "choose_fastest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "own_platform.h"
#include "platform_choice.h"

/* The core loop of a configuration; NaN after a message. */
static double core_us(struct predictor *predictor, const struct program *program,
		      const char *solver, const char *config, uint32_t gpus)
{
	struct schedule schedule;
	double us = NAN;
	schedule_init(&schedule);
	if (!program->plan(solver, config, gpus, &schedule)) {
		struct prediction prediction;
		bool bounds;
		const char *model = predictor_planned_model(predictor, &schedule, &bounds);
		const struct predictor_request request = {
			.kernel_model = model,
			.set = gpus > 1 ? "gpus" : "size",
			.allow_extrapolation = true,
			.bounds = bounds,
			.replicas = 0,
		};
		if (request.kernel_model &&
		    !predictor_run(predictor, &schedule, &request, &prediction)) {
			if (!prediction.bounded || !prediction_refuse_bound(&prediction, predictor))
				us = prediction.core_us;
			prediction_release(&prediction);
		}
	}
	schedule_release(&schedule);
	return us;
}

/* The fastest way, -1 after a message. */
static int fastest(struct predictor *predictor, const struct program *program, const char *solver,
		   const void *params, size_t params_bytes, uint32_t gpus)
{
	const int ways = program->ways(solver, params, gpus);
	void *tried = xmalloc(params_bytes);
	double best_us = INFINITY, second_us = INFINITY;
	char *best_config = NULL;
	int best = -1;
	for (int way = 0; way < ways; way++) {
		memcpy(tried, params, params_bytes);
		program->take(solver, tried, gpus, way);
		char *config = program->config_of(solver, tried, gpus);
		const double us = config ? core_us(predictor, program, solver, config, gpus) : NAN;
		if (us < best_us) {
			second_us = best_us;
			best_us = us;
			best = way;
			free(best_config);
			best_config = config;
			config = NULL;
		} else if (us < second_us) {
			second_us = us;
		}
		free(config);
	}
	if (best < 0)
		report("none of %d ways to run this could be simulated", ways);
	else
		fprintf(stderr,
			"warpreel: of %d ways the fastest on %s: %s, %.1f us; next %.1f us\n", ways,
			predictor->platform.name, best_config, best_us, second_us);
	free(best_config);
	free(tried);
	return best;
}

int choose_fastest(const struct program *program, const char *solver, void *params,
		   size_t params_bytes, uint32_t gpus, const struct predictor_options *options)
{
	struct predictor_options common = *options;
	common.allow_extrapolation = true; /* a guess at each is enough to tell them apart */
	struct platform_choice choice = { 0 };
	struct predictor predictor;
	int rc = -1;
	if (program->ways(solver, params, gpus) < 1)
		return 0;
	if (!platform_choose(&choice, &common, NULL, (int)gpus) &&
	    !platform_choice_init(&choice, &predictor, program, &common, true)) {
		const int way = fastest(&predictor, program, solver, params, params_bytes, gpus);
		if (way >= 0) {
			program->take(solver, params, gpus, way);
			rc = 0;
		}
		predictor_release(&predictor);
	}
	platform_choice_release(&choice);
	return rc;
}

int choose_fastest_by_default(const struct program *program, const char *solver, void *params,
			      size_t params_bytes, uint32_t gpus)
{
	char *platform = own_platform(NULL);
	const struct predictor_options options = { .platform = platform };
	const int rc = choose_fastest(program, solver, params, params_bytes, gpus, &options);
	free(platform);
	return rc;
}
