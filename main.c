/* SPDX-License-Identifier: MIT
 * warpreel: what would this multi-GPU run cost on another machine?  This file is the command table
 * and the wiring.
 */
#include <stdio.h>
#include <string.h>

#include "kernels/machine/machine.h"
#include "kernels/kit/solver.h"
#include "kernels/run/measure_run.h"
#include "sim/answers/choose_fastest.h"
#include "sim/validate/verify.h"
#include "traces/program/program.h"
#include "traces/base/util.h"

#define WARPREEL_VERSION "0.1.0"

static const struct {
	const char *name;
	command_fn *run;
	const char *summary;
} commands[] = {
#define COMMAND(name, summary) { #name, cmd_##name, summary },
#include "traces/program/commands.def"
#undef COMMAND
};

static int calibrate_cuda(void *calibration)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();
	return cuda ? cuda->calibrate(calibration) : -1;
}

static char *describe_gpu(unsigned gpu)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();
	return cuda ? cuda->describe(gpu) : NULL;
}

static void usage(FILE *out)
{
	fprintf(out, "usage: warpreel COMMAND [options]        warpreel COMMAND --help\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
}

/* What a command printed may still fail to get out: a full disk is an error of every command. */
static int finish(int rc)
{
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	if (rc == EXIT_OK)
		report("cannot write to standard output");
	return rc == EXIT_OK ? EXIT_BAD : rc;
}

int main(int argc, char **argv)
{
	static const struct program program = {
		.plan = solver_plan,
		.plan_part = solver_plan_part,
		.plan_steady = solver_plan_steady,
		.solver_options = solver_options,
		.planned_standards = solver_planned_standards,
		.solver_names = solver_names,
		.config_of = solver_config_of,
		.column = solver_column,
		.choices = solver_choices,
		.but_for = solver_but_for,
		.whole = solver_whole,
		.chaos = solver_chaos,
		.chaotic = solver_chaotic,
		.ways = solver_ways,
		.take = solver_take,
		.choose = choose_fastest_by_default,
		.calibrate_cuda = calibrate_cuda,
		.describe_gpu = describe_gpu,
		.measure = measure_run,
		.verify = verify_platform,
	};
	util_install_signal_handlers();
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return finish(EXIT_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("warpreel %s\n", WARPREEL_VERSION);
		return finish(EXIT_OK);
	}
	const char *near = NULL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return finish(commands[i].run(&program, argc - 1, argv + 1));
		near = text_near(argv[1], near, commands[i].name);
	}
	report("unknown command '%s'%s%s%s (see warpreel --help)", argv[1], near ? ": " : "",
	       near ? near : "", near ? "?" : "");
	return EXIT_USAGE;
}
