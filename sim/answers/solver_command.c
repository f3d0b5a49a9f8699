/* SPDX-License-Identifier: MIT */
#include "solver_command.h"

#include <stdlib.h>

#include "traces/base/util.h"

int solver_command_begin(struct solver_command *c, const struct program *program,
			 const char *command, const char *says, const struct option_spec *own,
			 size_t own_bytes, int argc, char **argv)
{
	const bool named = argc > 1 && argv[1][0] != '-';
	*c = (struct solver_command){ .solver = named ? argv[1] : "rbsor" };
	const struct option_spec *of_solver = program->solver_options(c->solver, &c->params_bytes);
	if (!of_solver)
		return -1;
	c->names = program->solver_names();
	c->help = options_solver_help(command, named ? c->solver : NULL, c->solver, c->names, says);
	c->specs = options_join(own, of_solver, own_bytes);
	c->options = xcalloc(1, own_bytes + c->params_bytes);
	c->params = (char *)c->options + own_bytes;
	options_restate(c->specs, program->planned_standards(c->solver));
	return 0;
}

void solver_command_release(struct solver_command *c)
{
	free(c->options);
	free(c->specs);
	options_solver_help_release(&c->help);
	free(c->names);
}

int solver_command_ends(const struct solver_command *c, const char *command, int parsed, int words,
			char **argv)
{
	if (parsed)
		return parsed > EXIT_USAGE ? EXIT_OK : parsed;
	if (words == 1)
		return -1;
	return options_want_solver(command, c->names, words, argv);
}
