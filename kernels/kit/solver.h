/* SPDX-License-Identifier: MIT
 * A solver family: its options, its configuration string, its driver on struct machine. One line in
 * solvers.def each.
 */
#ifndef WARPREEL_SOLVER_H
#define WARPREEL_SOLVER_H

#include "kernels/machine/machine.h"

enum { CONFIG_BYTES = 256, SOLVER_EXTRAS = 4 };

/* What one run gave. Times are host-clock nanoseconds. */
struct solver_result {
	int64_t core_ns, total_ns;
	int64_t iterations;
	double residual; /* max |(W+E+N+S)/4 - u| over the interior of the final grid; NaN when not
			    computed */
	uint64_t checksum; /* of the final grid in row order; 0 when not computed */
	bool unconverged;  /* it was to iterate until something is small, and the limit came first,
			      or a value that is no number */
	double extra[SOLVER_EXTRAS]; /* what struct solver names in extra_names; NaN when not
					computed */
};

/* How to run it. */
struct solver_request {
	uint64_t seed;
	int repeat;	/* timed runs, each from the same start values */
	int warm_up_ms; /* short untimed runs for at least this long first; negative: none. The cpu
			   machine never warms up */
	bool verify;	/* checksum and residual of the first and the last run's final grid */
};

/* A family's parameters are its own struct; the table only sees bytes. */
struct solver {
	const char *name; /* "rbsor" */
	const char *summary;
	size_t params_bytes;
	const struct option_spec *options; /* of the params struct, ends with a zero entry; includes
					      every config key */
	const char *const *extra_names;	   /* columns of its own, ends with NULL; NULL: none */
	/* Checks combinations, fills derived values; -1 after a message. `gpus` host threads will
	 * run. */
	int (*prepare)(void *params, uint32_t gpus);
	void (*config)(const void *params,
		       char text[CONFIG_BYTES]); /* the canonical configuration string */
	/* Reads a configuration string into params (defaults first); -1 after a message. */
	int (*parse)(void *params, const char *config);
	/* Runs on `m` with `gpus` threads; -1 after a message. On the plan machine the schedule is
	 * the only result. */
	/*
	 * Kernels alone, on one GPU: steady_begin makes buffers and a stream on `m` and fills them
	 * with what iterations meet; steady_iterate puts the launches of one iteration on that
	 * stream, nothing else. All NULL: the family has no such thing.
	 */
	int (*steady_begin)(const void *params, struct machine *m, void **state, uint32_t *stream);
	int (*steady_iterate)(void *state, struct machine_thread *t);
	void (*steady_end)(void *state);
	int (*run)(const void *params, struct machine *m, uint32_t gpus,
		   const struct solver_request *request,
		   struct solver_result *results /* [request->repeat] */);
};

/* NULL-terminated table made from solvers.def. */
extern const struct solver *const solvers[];
/* Tells the recorder, if there is one, that a run begins; solver NULL: that it ended. */
void solver_note_run(const char *solver, const char *config, uint32_t gpus);
/* Plans a configuration: what struct program offers to sim/. */
int solver_plan(const char *solver, const char *config, uint32_t gpus, struct schedule *schedule);
/* Plans the launches of a few iterations of the steady state on one GPU, nothing else. */
int solver_plan_steady(const char *solver, const char *config, struct schedule *schedule);
const struct option_spec *solver_options(const char *solver, size_t *params_bytes);
char *solver_config_of(const char *solver, void *params, uint32_t gpus);
const struct solver *solver_find(const char *name); /* NULL after a message listing the names */

#endif
