/* SPDX-License-Identifier: MIT
 * What main.c wires together and hands to commands, so that sim/ can re-plan a solver without
 * depending on kernels/.
 */
#ifndef WARPREEL_PROGRAM_H
#define WARPREEL_PROGRAM_H

#include <stddef.h>

#include "traces/base/options.h"
#include "traces/program/chaos.h"
#include "traces/schedule/schedule.h"

struct program {
	/*
	 * Plans `solver` with configuration string `config` on `gpus` GPUs into an initialised
	 * schedule; -1 after a message. The canonical form of the configuration ends up in
	 * schedule->config.
	 */
	int (*plan)(const char *solver, const char *config, uint32_t gpus,
		    struct schedule *schedule);
	/* The same of at most so many iterations; what the configuration asks for is in
	 * schedule->iterations. */
	int (*plan_part)(const char *solver, const char *config, uint32_t gpus, int64_t iterations,
			 struct schedule *schedule);
	/* Plans a few iterations of the solver's steady state on one GPU: launches, nothing else.
	 */
	int (*plan_steady)(const char *solver, const char *config, struct schedule *schedule);
	/* A solver's option table and the size of the struct it fills; NULL after a message when
	 * there is no such solver. */
	const struct option_spec *(*solver_options)(const char *solver, size_t *params_bytes);
	/* Defaults of a solver that are others where a run is planned, since a plan does not
	 * compute; NULL: none. */
	const struct option_standard *(*planned_standards)(const char *solver);
	/* The names of all solvers with blanks between, owned by the caller. */
	char *(*solver_names)(void);
	/* The configuration string of filled-in parameters (owned by the caller); NULL after a
	 * message. */
	char *(*config_of)(const char *solver, void *params, uint32_t gpus);
	/* How many ways parameters as given leave open, 0: none; and takes one of them. */
	int (*ways)(const char *solver, const void *params, uint32_t gpus);
	void (*take)(const char *solver, void *params, uint32_t gpus, int way);
	/* Takes the way that simulates as the fastest, and says which; nothing where none is open.
	 * -1 after a message. */
	int (*choose)(const struct program *program, const char *solver, void *params,
		      size_t params_bytes, uint32_t gpus);
	/*
	 * What a column of tables says of a configuration ("rows", "columns", "border",
	 * "iterations", "transport"; an option's name; "canonical": all options, each in its
	 * place; "options": the same for a command line; "way": how it goes, whatever its size), as
	 * text, owned by the caller; NULL where
	 * the solver has no such column, and after a message where there is no such solver or
	 * configuration.
	 */
	char *(*column)(const char *solver, const char *config, uint32_t gpus, const char *column);
	/* What may be chosen for the same problem, ends with NULL: the number of GPUs, then
	 * options. */
	const char *const *choices;
	/* A configuration without the word of a choice (NULL: of all of them), owned by the caller:
	 * runs of which that is the same differ in their choice alone. NULL where there is nothing
	 * to choose: no such word, or a way between GPUs, and one GPU. */
	char *(*but_for)(const char *config, uint32_t gpus, const char *choice);
	/* A configuration for one GPU, which takes the grid whole, into whatever blocks more of
	 * them cut it; owned by the caller. */
	char *(*whole)(const char *config);
	/* What a simulator plays of a solver whose blocks go on without order; the caller calls
	 * case->ops->close(). -1 after a message: no solver of that kind. */
	int (*chaos)(const char *solver, const void *params, struct chaos_case *c);
	/* Whether there is such a case, of params that config_of has seen. */
	bool (*chaotic)(const char *solver, const void *params);
	/* Runs the CUDA part of a calibration (struct calibration, model/calibrate/calibrate.h); -1
	 * after a message. */
	int (*calibrate_cuda)(void *calibration);
	/* Median core loop of ten runs on a backend ("cuda", "cpu"); -1 after a message. */
	int (*measure)(const char *backend, const char *solver, const char *config, uint32_t gpus,
		       double *core_us);
	/* Sets the width of a platform file's intervals by runs on this machine (verify.h); -1
	 * after a message. */
	int (*verify)(const struct program *program, const char *path, const char *backend,
		      const char *list, uint32_t gpus, const char *command);
	/* Facts about a GPU as "key = value" lines, owned by the caller; NULL after a message. */
	char *(*describe_gpu)(unsigned gpu);
};

/* A subcommand returns the exit code. argv[0] is the subcommand's name. */
typedef int command_fn(const struct program *program, int argc, char **argv);

#define COMMAND(name, summary) command_fn cmd_##name;
#include "commands.def"
#undef COMMAND

#endif
