/* SPDX-License-Identifier: MIT
 * Options that both image families take, the first member of their own params; and the ways to
 * run.
 */
#ifndef WARPREEL_WEAK_PARAMS_H
#define WARPREEL_WEAK_PARAMS_H

#include <stddef.h>

#include "kernels/kit/solver.h"
#include "kernels/weak/weak_problem.h"

/* One of --scheme. */
struct weak_scheme {
	const char *option;
	const char *name[2]; /* of the launch, by rule */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry); /* NULL: CPU only */
	bool whole; /* one launch makes all steps */
};

struct weak_params {
	const char *scheme, *stop;
	double tolerance;
	int steps, max_steps; /* steps: exactly so many; 0 until converged */
	/* by weak_prepare */
	const struct weak_scheme *method;
	bool by_error; /* tolerance is of the error, not of the residual */
};

/* Lines of an option table for a params struct whose first member is `common`. */
#define WEAK_AT(field) offsetof(struct weak_params, field)
/* clang-format off */
#define WEAK_OPTIONS(stop_, tolerance_, unit_)                                                     \
	{ "scheme", OPTION_CHOICE, WEAK_AT(scheme), "reference", 0, 0, WEAK_SCHEMES,               \
	  "reference: one sequential program, over-relaxed, in double" },                          \
	{ "stop", OPTION_CHOICE, WEAK_AT(stop), stop_, 0, 0, "residual|error",                     \
	  "what the tolerance is of: the change a Jacobi step would make, or the error that it "   \
	  "may leave, residual / (1 - rho)" },                                                     \
	{ "tolerance", OPTION_REAL, WEAK_AT(tolerance), tolerance_, 0, 1e300, "T",                 \
	  "converged when it is at most this" unit_ },                                             \
	{ "max-steps", OPTION_INT, WEAK_AT(max_steps), "1000000", 1, 100000000, "I",               \
	  "give up after so many" },                                                               \
	{ "steps", OPTION_INT, WEAK_AT(steps), "0", 0, 100000000, "I",                             \
	  "exactly so many, whatever the residual is; 0 until converged" }
/* clang-format on */
#define WEAK_SCHEMES "reference"

int weak_prepare(struct weak_params *p, uint32_t gpus);
/* Appends " scheme=..." and so on to a configuration string. */
void weak_config(const struct weak_params *p, char text[CONFIG_BYTES]);
/* The shortest text that reads back as the same number. */
const char *weak_shortest(double value, char text[32]);
/* " key=value" behind what stands there. */
void weak_config_add(char text[CONFIG_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
