/* SPDX-License-Identifier: MIT */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "../traces/annotate.h"
#include "../traces/options.h"
#include "../traces/util.h"

#define SOLVER(name) extern const struct solver solver_##name;
#include "solvers.def"
#undef SOLVER

const struct solver *const solvers[] = {
#define SOLVER(name) &solver_##name,
#include "solvers.def"
#undef SOLVER
	NULL,
};

const struct solver *solver_find(const char *name)
{
	char names[512] = "";
	for (int i = 0; solvers[i]; i++) {
		if (!strcmp(solvers[i]->name, name))
			return solvers[i];
		strncat(names, " ", sizeof(names) - strlen(names) - 1);
		strncat(names, solvers[i]->name, sizeof(names) - strlen(names) - 1);
	}
	report("unknown solver '%s'; there is:%s", name, names);
	return NULL;
}

void solver_note_run(const char *solver, const char *config, uint32_t gpus)
{
	const struct warpreel_annotate *annotate = machine_annotate();
	if (annotate)
		annotate->run(solver, config, gpus);
}

int solver_plan(const char *name, const char *config, uint32_t gpus, struct schedule *schedule)
{
	const struct solver *solver = solver_find(name);
	if (!solver)
		return -1;
	void *params = xcalloc(1, solver->params_bytes);
	struct solver_result result;
	const struct solver_request request = { .repeat = 1, .warm_up_ms = -1 };
	struct machine *m = NULL;
	int rc = -1;
	if (solver->parse(params, config) || solver->prepare(params, gpus))
		goto out;
	char text[CONFIG_BYTES];
	solver->config(params, text);
	schedule->solver = xstrdup(name);
	schedule->config = xstrdup(text);
	m = machine_plan_new(gpus, schedule);
	rc = solver->run(params, m, gpus, &request, &result);
	m->ops->free(m);
out:
	free(params);
	return rc;
}

/* The words may hold options of other commands too, already taken out by the caller; here only solver options and --gpus. */
int solver_config_from_words(int argc, char **argv, char **config, uint32_t *gpus)
{
	const struct solver *solver = argc ? solver_find(argv[0]) : NULL;
	if (!solver)
		return argc ? -1 : report("name a solver");
	void *params = xcalloc(1, solver->params_bytes);
	const struct command_help help = { "predict", "", "" };
	int words, rc = -1;
	if (options_parse(&help, solver->options, params, argc, argv, &words) == 0 && words == 0 &&
	    solver->prepare(params, *gpus) == 0) {
		*config = xmalloc(CONFIG_BYTES);
		solver->config(params, *config);
		rc = 0;
	}
	free(params);
	return rc;
}
