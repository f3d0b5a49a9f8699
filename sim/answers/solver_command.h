/* SPDX-License-Identifier: MIT
 * The beginning of commands that take a solver's name and its options behind their own.
 */
#ifndef WARPREEL_SOLVER_COMMAND_H
#define WARPREEL_SOLVER_COMMAND_H

#include "traces/base/options.h"
#include "traces/program/program.h"

struct solver_command {
	const char *solver; /* rbsor, when no other is named */
	char *names;	    /* of all; owned */
	struct command_help help;
	struct option_spec *specs; /* `own`, then the solver's; owned */
	void *options;		   /* own_bytes, then the solver's parameters; owned */
	void *params;		   /* the latter */
	size_t params_bytes;
};

/* -1 after a message, and then there is nothing to release: no such solver. */
int solver_command_begin(struct solver_command *c, const struct program *program,
			 const char *command, const char *says, const struct option_spec *own,
			 size_t own_bytes, int argc, char **argv);
void solver_command_release(struct solver_command *c);

/* The program's exit code where the command ends with parsing, by options_parse's answer and the
 * words it left; -1: it goes on. */
int solver_command_ends(const struct solver_command *c, const char *command, int parsed, int words,
			char **argv);

#endif
