/* SPDX-License-Identifier: MIT
 * What a red-black SOR run is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_RBSOR_PARAMS_H
#define WARPREEL_RBSOR_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kit/solver.h"
#include "kernels/kit/strips.h"
#include "traces/base/options.h"

struct rbsor_params {
	/* as given */
	const char *size, *precision, *kernel, *scheme, *transport;
	int border, iterations;
	double omega; /* 0: the optimum (4.17) */
	/* by rbsor_prepare */
	int64_t rows, columns;
	bool f64, tuned, thesis, peer;
	double omega_used;
};

extern const struct option_spec rbsor_options[];

/*
 * The optimum relaxation factor, Spampinato (4.17), extended to rectangles through Young's formula:
 * omega = 2 / (1 + sqrt(1 - mu^2)), mu = (cos(pi/(rows+1)) + cos(pi/(columns+1))) / 2; for a square
 * 2 / (1 + sin(pi/(n+1))).
 */
double rbsor_optimal_omega(int64_t rows, int64_t columns);

int rbsor_prepare(void *params, uint32_t gpus);
int rbsor_parse(void *params, const char *config);
void rbsor_config(const void *params, char text[CONFIG_BYTES]);

/* The whole run on a machine: rbsor_driver.c. */
int rbsor_run(const void *params, struct machine *m, uint32_t gpus,
	      const struct solver_request *request, struct solver_result *results);

int64_t rbsor_halo_rows(const struct rbsor_params *params); /* 2b exact, b thesis */
struct strip rbsor_strip_of(const struct rbsor_params *params, uint32_t gpus, uint32_t gpu);

/* rbsor_driver.c too: one iteration on the whole grid, for timing. */
int rbsor_steady_begin(const void *params, struct machine *m, void **state, uint32_t *stream);
int rbsor_steady_iterate(void *state, struct machine_thread *t);
void rbsor_steady_end(void *state);

#endif
