/* SPDX-License-Identifier: MIT
 * A solver family: its options, its configuration string, and what it does when run. One line in
 * solvers.def each; kernels/jacobi/ is the template.
 *
 * A family never runs itself. It says how to begin, what goes up, what is iterated and what comes
 * down; solver_run.c calls these in the order that every measured run has: warm-up, repeats from
 * the same start values, marks, notes to the recorder, checks of the first and the last run.
 */
#ifndef WARPREEL_SOLVER_H
#define WARPREEL_SOLVER_H

#include "kernels/machine/machine_stopwatch.h"
#include "traces/base/options.h"
#include "traces/program/chaos.h"

struct grid;

enum { CONFIG_BYTES = 4096, SOLVER_EXTRAS = 4, HELPERS_A_GPU = 2 };

/* What tables and classes of runs say of a configuration, so that nobody else reads its string:
 * rows and columns of the grid, border, iterations (0: until converged), transport; those that a
 * family has. */
struct solver_column {
	const char *name;
	enum { COLUMN_INT, COLUMN_INT64, COLUMN_TEXT } type;
	size_t offset; /* in the params struct, after prepare */
	int more;      /* added to a number: a boundary that it leaves out */
};

/* What one run gave. Times are host-clock nanoseconds. */
struct solver_result {
	int64_t core_ns, total_ns;
	int64_t iterations;
	int64_t asked;	   /* as the parameters say, at most */
	int cycle;	   /* iterations between two exchanges */
	double residual;   /* of the final grid, as the family defines it; NaN when not computed */
	uint64_t checksum; /* of the final grid in row order; 0 when not computed */
	bool unconverged;  /* it was to iterate until something is small, and the limit came first,
			      or a value that is no number */
	bool any_order;	   /* blocks read what they find: another run may give other bits */
	bool timed;	   /* `times` are known */
	struct machine_times times;  /* means of an iteration, the most of any GPU */
	double extra[SOLVER_EXTRAS]; /* what struct solver names in extra_names; NaN when not
					computed */
};

/* How to run it. */
struct solver_request {
	uint64_t seed;
	int64_t iterations; /* at most; 0: as the parameters say */
	int repeat;	    /* timed runs, each from the same start values */
	int warm_up_ms; /* short untimed runs for at least this long first, on machines that warm
			   up; negative: none */
	bool verify;	/* checksum and residual of the first and the last run's final grid */
	/* Files; NULL: none. Start values instead of random ones, the last run's final grid, and
	 * its picture (grid_file.h). Of families with a grid. */
	const char *start, *result, *picture;
};

/* The first member of a family's own struct of work_bytes, which begins zeroed but for this. */
struct solver_work {
	const void *params;
	struct machine *m;
	uint32_t gpus;
	bool steady; /* begun for `iterate` alone, on one GPU */
	/* by begin() */
	int iterations;	  /* of a run, at most; the kit lowers it while warming up */
	bool timed;	  /* every launch and copy, by a stopwatch */
	int cycle;	  /* iterations between two exchanges */
	int warm;	  /* iterations of a run that warms up; 0: four cycles */
	bool one_thread;  /* it drives all GPUs: up and down are called with each GPU by turns,
			     core once */
	uint32_t helpers; /* threads besides one a GPU, at most HELPERS_A_GPU for each */
	/* by the kit */
	bool warming; /* make all `iterations`, whatever comes out */
};

/* A family's parameters are its own struct; the table only sees bytes. */
struct solver {
	const char *name; /* "rbsor" */
	const char *summary;
	size_t params_bytes, work_bytes;
	const struct option_spec *options; /* of the params struct, ends with a zero entry; includes
					      every config key */
	/* Defaults that are others where a run is planned: a plan does not compute, so it cannot
	 * know when to stop. NULL: none. */
	const struct option_standard *planned;
	const struct solver_column *columns; /* ends with a zero entry; NULL: none */
	const char *const *extra_names;	     /* columns of its own, ends with NULL; NULL: none */
	const char *missing; /* what it needs and this build has not (mk/families.mk); else NULL */
	bool alone;	     /* on one GPU no thread waits, not even for a mark */

	/*
	 * Of parameters as given, before prepare, that leave something to be chosen ("auto"): how
	 * many ways there are, 0: nothing is left; and takes the k-th. NULL: never.
	 */
	int (*ways)(const void *params, uint32_t gpus);
	void (*take)(void *params, uint32_t gpus, int way);
	/* Checks combinations, fills derived values; -1 after a message. `gpus` host threads will
	 * run. */
	int (*prepare)(void *params, uint32_t gpus);
	/* The canonical configuration string: options without dashes, in a fixed order. */
	void (*config)(const void *params, char text[CONFIG_BYTES]);
	/* Iterations are known only afterwards: what the recorder is told of a run ends with
	 * "iterations=N". NULL: never. */
	bool (*open_ended)(const void *params);

	/* Makes buffers and streams on the machine; -1 after a message. end() follows in either
	 * case. */
	int (*begin)(struct solver_work *work);
	void (*end)(struct solver_work *work);
	uint32_t (*stream)(const struct solver_work *work, uint32_t gpu);
	/* The grid that start values and results are in; NULL: there is none. */
	const struct grid *(*grid)(struct solver_work *work);
	/* Start values on the host; only on machines that compute. NULL: nothing to do. */
	void (*fill)(struct solver_work *work, uint64_t seed);
	/* Before the threads of every run start, planned ones too: counters and so on. */
	int (*restart)(struct solver_work *work);
	/*
	 * Inside the threads, each putting work on its GPU's stream, where some may be left: start
	 * values to the GPU; all iterations; the result to the host (NULL: stays there).
	 */
	int (*up)(struct solver_work *work, struct machine_thread *t);
	int (*core)(struct solver_work *work, struct machine_thread *t);
	int (*down)(struct solver_work *work, struct machine_thread *t);
	/* Inside each helper's thread, while the others are in core. NULL: there are no helpers. */
	int (*help)(struct solver_work *work, struct machine_thread *t);
	/* After a run: what differs from result's standard values. NULL: nothing. */
	void (*result)(struct solver_work *work, struct solver_result *result);
	/* Checksum, residual and extras of what came down; -1 after a message. */
	int (*check)(struct solver_work *work, struct solver_result *result);
	/* Puts the launches of one iteration on the stream, nothing else; work->steady is set and
	 * `up` went before, except where nothing computes. NULL: the family cannot be timed so. */
	int (*iterate)(struct solver_work *work, struct machine_thread *t);
	/* What a simulator plays whose events call the arithmetic, of prepared params; -1 after a
	 * message. NULL: the family's results do not depend on when values arrive. */
	int (*chaos)(const void *params, struct chaos_case *c);
	/* Whether that is so of these, prepared; NULL: never. */
	bool (*chaotic)(const void *params);
};
/* What a family names alike: struct <family>_params and <family>_work, <family>_options, and so on.
 */
#define SOLVER_NAMED(family)                                                                       \
	.name = #family, .params_bytes = sizeof(struct family##_params),                           \
	.work_bytes = sizeof(struct family##_work), .options = family##_options,                   \
	.prepare = family##_prepare, .config = family##_config

/* NULL-terminated table made from solvers.def. */
extern const struct solver *const solvers[];
/* All names with blanks between; owned by the caller. */
char *solver_names(void);
/* NULL after a message that lists the names, or says what the family lacks here. */
const struct solver *solver_find(const char *name);

/* Prepares parameters as given, and refuses those whose configuration string would not say them: it
 * is CONFIG_BYTES long, and words. -1 after a message. */
int solver_prepare(const struct solver *solver, void *params, uint32_t gpus);
/* Parameters from a configuration string, prepared for `gpus` GPUs, with the words they point to in
 * one block: free() it. NULL after a message. */
void *solver_params(const struct solver *solver, const char *config, uint32_t gpus);

/* solver_run.c. Runs on `m` with `gpus` threads; -1 after a message. On a machine that does not
 * compute the schedule is the only result. */
int solver_run(const struct solver *solver, const void *params, struct machine *m, uint32_t gpus,
	       const struct solver_request *request,
	       struct solver_result *results /* [request->repeat] */);

/* Kernels alone, on one GPU. */
struct solver_steady {
	const struct solver *solver;
	struct solver_work *work;
	uint32_t stream; /* all launches are on it */
};
int solver_steady_begin(struct solver_steady *steady, const struct solver *solver,
			const void *params, struct machine *m);
int solver_steady_iterate(struct machine_thread *t, void *steady);
void solver_steady_end(struct solver_steady *steady);

/* What struct program offers to sim/. Plans a configuration; the launches of a few iterations of
 * the steady state on one GPU, nothing else. */
int solver_plan(const char *solver, const char *config, uint32_t gpus, struct schedule *schedule);
/* The same of at most so many iterations: the schedule's configuration and its `iterations` are
 * those of the whole run. */
int solver_plan_part(const char *solver, const char *config, uint32_t gpus, int64_t iterations,
		     struct schedule *schedule);
int solver_plan_steady(const char *solver, const char *config, struct schedule *schedule);
const struct option_spec *solver_options(const char *solver, size_t *params_bytes);
const struct option_standard *solver_planned_standards(const char *solver);
int solver_chaos(const char *solver, const void *params, struct chaos_case *c); /* prepared */
bool solver_chaotic(const char *solver, const void *params);			/* prepared */
int solver_ways(const char *solver, const void *params, uint32_t gpus);
void solver_take(const char *solver, void *params, uint32_t gpus, int way);
char *solver_config_of(const char *solver, void *params, uint32_t gpus);
/* A column of a configuration as text, owned by the caller; NULL: the solver has none of that name,
 * or after a message. */
char *solver_column(const char *solver, const char *config, uint32_t gpus, const char *column);
/* solver_choices.c: what may be chosen for the same problem; struct program says what these do. */
extern const char *const solver_choices[];
char *solver_but_for(const char *config, uint32_t gpus, const char *choice);
char *solver_whole(const char *config);

#endif
