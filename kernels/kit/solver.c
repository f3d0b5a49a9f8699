/* SPDX-License-Identifier: MIT */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "traces/recorder/annotate.h"
#include "traces/base/options.h"
#include "traces/base/util.h"

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

/* Enough iterations for what a launch finds in L2 to settle. */
enum { STEADY_ITERATIONS = 4 };

struct steady {
	const struct solver *solver;
	void *state;
};

static int steady_body(struct machine_thread *t, void *arg)
{
	const struct steady *steady = arg;
	for (int k = 0; k < STEADY_ITERATIONS; k++)
		if (steady->solver->steady_iterate(steady->state, t))
			return -1;
	return 0;
}

int solver_plan_steady(const char *name, const char *config, struct schedule *schedule)
{
	const struct solver *solver = solver_find(name);
	if (!solver)
		return -1;
	if (!solver->steady_begin)
		return report("solver '%s' does not say what its kernels alone are", name);
	struct steady steady = { .solver = solver };
	struct machine_thread thread;
	uint32_t stream;
	void *params = xcalloc(1, solver->params_bytes);
	int rc = -1;
	if (solver->parse(params, config) || solver->prepare(params, 1))
		goto out;
	char text[CONFIG_BYTES];
	solver->config(params, text);
	schedule->solver = xstrdup(name);
	schedule->config = xstrdup(text);
	struct machine *m = machine_plan_new(1, schedule);
	rc = solver->steady_begin(params, m, &steady.state, &stream);
	if (!rc) {
		rc = m->ops->run(m, 1, steady_body, &steady, &thread);
		solver->steady_end(steady.state);
	}
	m->ops->free(m);
out:
	free(params);
	return rc;
}

const struct option_spec *solver_options(const char *name, size_t *params_bytes)
{
	const struct solver *solver = solver_find(name);
	if (!solver)
		return NULL;
	*params_bytes = solver->params_bytes;
	return solver->options;
}

char *solver_config_of(const char *name, void *params, uint32_t gpus)
{
	const struct solver *solver = solver_find(name);
	if (!solver || solver->prepare(params, gpus))
		return NULL;
	char *config = xmalloc(CONFIG_BYTES);
	solver->config(params, config);
	return config;
}
