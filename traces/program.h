/* SPDX-License-Identifier: MIT
 * What main.c wires together and hands to commands, so that sim/ can re-plan a solver without depending on kernels/.
 */
#ifndef WARPREEL_PROGRAM_H
#define WARPREEL_PROGRAM_H

#include "schedule.h"

struct program {
	/*
	 * Plans `solver` with configuration string `config` on `gpus` GPUs into an initialised schedule; -1 after a message.
	 * The canonical form of the configuration ends up in schedule->config.
	 */
	int (*plan)(const char *solver, const char *config, uint32_t gpus, struct schedule *schedule);
	/*
	 * Turns command-line words "--size 512 --border 4 ..." (argv[0] = solver name) into a configuration string (owned by the
	 * caller); unknown options are an error. -1 after a message.
	 */
	int (*config_from_words)(int argc, char **argv, char **config, uint32_t *gpus);
	/* Runs the CUDA part of a calibration (struct calibration, model/calibrate.h); -1 after a message. */
	int (*calibrate_cuda)(void *calibration);
	/* Facts about a GPU as "key = value" lines, owned by the caller; NULL after a message. */
	char *(*describe_gpu)(unsigned gpu);
};

/* A subcommand returns the exit code. argv[0] is the subcommand's name. */
typedef int command_fn(const struct program *program, int argc, char **argv);

#define COMMAND(name, summary) command_fn cmd_##name;
#include "commands.def"
#undef COMMAND

#endif
