/* SPDX-License-Identifier: MIT */
#include "parts_of_difference.h"

#include <string.h>

int machine_answer(const struct program *program, const struct predictor_options *o,
		   struct planned_run *run, struct machine_answer *answer)
{
	struct predictor p;
	struct prediction prediction;
	bool bounds = false;
	const char *model = predictor_model(o, "scaled");
	if (!model || predictor_init(&p, program, o, true))
		return -1;
	if (!strcmp(model, "scaled"))
		model = predictor_planned_model(&p, &run->schedule, &bounds);
	struct predictor_request request = { .kernel_model = model,
					     .set = run->schedule.gpu_count > 1 ? "gpus" : "size",
					     .bounds = bounds,
					     .allow_extrapolation = o->allow_extrapolation };
	int rc = model ? predictor_run_planned(&p, run, &request, &prediction) : -1;
	if (!rc && prediction.bounded) {
		rc = prediction_refuse_bound(&prediction, &p);
		prediction_release(&prediction);
	}
	if (!rc) {
		*answer =
			(struct machine_answer){ .core_us = prediction.core_us,
						 .core_lo_us = prediction.core_lo_us,
						 .core_hi_us = prediction.core_hi_us,
						 .kernel_model = prediction_model_name(&prediction),
						 .extrapolated = prediction.extrapolated,
						 .hypothetical = prediction.hypothetical != 0,
						 .bound = bound_of(&prediction.detail) };
		prediction_release(&prediction);
	}
	predictor_release(&p);
	return rc;
}

/* The machines between A and B: bit k of an index says that part k is B's. */
enum { MIXED = 1 << DIFFERENCE_PARTS };

static int answer_mixed(const struct program *program, const struct predictor_options *o,
			struct planned_run *run, const char *const name[2], double core_us[MIXED])
{
	struct machine_answer answer;
	for (unsigned mix = 0; mix < MIXED; mix++) {
		struct predictor_options one = *o;
		/* What is not taken from another machine is the host, with the number of GPUs. */
		one.platform = name[mix >> DIFFERENCE_HOST & 1];
		one.link = name[mix >> DIFFERENCE_LINK & 1];
		one.device = name[mix >> DIFFERENCE_DEVICE & 1];
		one.link = o->host || one.link == one.platform ? NULL : one.link;
		one.device = one.device == one.platform ? NULL : one.device;
		if (machine_answer(program, &one, run, &answer))
			return -1;
		core_us[mix] = answer.core_us;
	}
	return 0;
}

int parts_of_difference(const struct program *program, const struct predictor_options *o,
			struct planned_run *run, const char *a, const char *b,
			struct parts_of_difference *difference)
{
	/* How often a part is exchanged after 0, 1, 2 others, of six orders. */
	static const double weight[DIFFERENCE_PARTS] = { 2. / 6, 1. / 6, 2. / 6 };
	const char *const name[2] = { a, b };
	double core_us[MIXED];
	*difference = (struct parts_of_difference){ { 0 } };
	if (answer_mixed(program, o, run, name, core_us))
		return -1;
	for (int part = 0; part < DIFFERENCE_PARTS; part++)
		for (unsigned mix = 0; mix < MIXED; mix++)
			if (!(mix >> part & 1))
				difference->us[part] += weight[__builtin_popcount(mix)] *
							(core_us[mix | 1u << part] - core_us[mix]);
	return 0;
}
