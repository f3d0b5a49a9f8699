/* SPDX-License-Identifier: MIT */
#include "measure_run.h"

#include "kernels/machine/machine.h"
#include "solve_row.h"

int measure_run(const char *backend, const char *solver_name, const char *config, uint32_t gpus,
		double *core_us)
{
	const struct solver *solver = solver_find(solver_name);
	const struct solver_request request = { .seed = 1, .repeat = 10, .warm_up_ms = 30 };
	struct solve_row row = { 0 };
	struct machine *m = solver ? machine_new(backend, gpus) : NULL;
	int rc = -1;
	if (!m)
		return -1;
	if (!solve_config(solver, config, m, gpus, &request, &row, NULL) && !row.unconverged) {
		*core_us = row.core_us;
		rc = 0;
	}
	m->ops->free(m);
	return rc;
}
