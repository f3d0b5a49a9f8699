/* SPDX-License-Identifier: MIT
 * What a local modified SOR run is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_LMSOR_PARAMS_H
#define WARPREEL_LMSOR_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kit/solver.h"
#include "traces/base/options.h"
#include "lmsor.h"

enum { CHECK_DEVICE = 0 };

/* One way to sweep: a choice of --kernel. */
struct lmsor_method {
	const char *option;  /* as --kernel says it */
	const char *name[2]; /* of the kernel: without and with the norm */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args,
			 struct launch_geometry *geometry); /* NULL: not on a GPU */
	enum lmsor_stored stored;
	bool reverses; /* the black sweep is reversed (lmsor_tuned.cuh) */
	bool rows;     /* row-major, not split by colours */
	bool whole;    /* a launch is all iterations (struct lmsor_loop), not a sweep; one GPU */
};

struct lmsor_params {
	/* as given */
	const char *problem, *omega, *kernel, *check, *transport;
	double re, sor_omega, tolerance;
	int size, border, iterations, max_iterations;
	/* by lmsor_prepare */
	const struct lmsor_method *method;
	struct lmsor_problem p;
	int check_every; /* iterations; or CHECK_DEVICE */
	bool peer;
	int64_t real_points,
		imaginary_points; /* of size x size, boundary included, as the paper counts them */
};

/* Iterations between checks of a kernel that checks by itself. */
static inline int lmsor_check_interval(const struct lmsor_params *p)
{
	return p->check_every == CHECK_DEVICE ? 1 : p->check_every;
}

extern const struct option_spec lmsor_options[];
extern const struct solver_column lmsor_columns[];

int lmsor_prepare(void *params, uint32_t gpus);
void lmsor_config(const void *params, char text[CONFIG_BYTES]);

/*
 * lmsor_omega.c. Fills what the terms depend on, counts the points with real and with imaginary
 * eigenvalues, and refuses what the formulas do not cover; -1 after a message.
 */
int lmsor_problem_of(struct lmsor_params *params);

#endif
