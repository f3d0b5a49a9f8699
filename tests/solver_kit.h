/* SPDX-License-Identifier: MIT
 * What tests of solvers share: parameters of a configuration by value, a run on a machine.
 */
#ifndef WARPREEL_TESTS_SOLVER_KIT_H
#define WARPREEL_TESTS_SOLVER_KIT_H

#include <stdlib.h>
#include <string.h>

#include "kernels/kit/solver.h"
#include "traces/base/util.h"

/* Words that parameters point to live as long as the test. */
static void **params_kept;
static size_t params_kept_count, params_kept_capacity;

/* -1 after a message. */
static inline int params_of(const char *name, void *params, const char *config)
{
	const struct solver *solver = solver_find(name);
	void *block = solver_params(solver, config, 1);
	if (!block)
		return -1;
	GROW(params_kept, params_kept_count, params_kept_capacity);
	params_kept[params_kept_count++] = block;
	memcpy(params, block, solver->params_bytes);
	return 0;
}

/* One run of a configuration without warming up, checked; -1 after a message. */
static inline int run_config(struct machine *m, const char *name, const char *config, uint32_t gpus,
			     uint64_t seed, struct solver_result *result)
{
	const struct solver_request request = {
		.seed = seed, .repeat = 1, .warm_up_ms = -1, .verify = true
	};
	const struct solver *solver = solver_find(name);
	void *params = solver_params(solver, config, gpus);
	int rc = params ? solver_run(solver, params, m, gpus, &request, result) : -1;
	free(params);
	return rc;
}

/* The CUDA machine of so many GPUs; of fewer each serves several (WARPREEL_SHARE_GPUS). *own is how
 * many there are. NULL: none, after a message. */
static inline struct machine *shared_cuda(uint32_t gpus, uint32_t *own)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();
	char *facts = cuda ? cuda->describe(0) : NULL;
	const char *found = facts ? strstr(facts, "\ngpus = ") : NULL;
	*own = found ? (uint32_t)strtoul(found + strlen("\ngpus = "), NULL, 10) : 0;
	free(facts);
	if (*own < gpus)
		setenv("WARPREEL_SHARE_GPUS", "1", 1);
	return *own ? machine_cuda_new(gpus) : NULL;
}

#endif
