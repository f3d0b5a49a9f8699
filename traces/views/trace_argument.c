/* SPDX-License-Identifier: MIT
 * The command line of commands on one trace.
 */
#include "trace_argument.h"

#include "traces/format/trace_folder.h"
#include "traces/base/util.h"

bool trace_argument(const struct command_help *help, const struct option_spec *specs, void *target,
		    int argc, char **argv, struct trace *trace, int *code)
{
	int words, rc = options_parse(help, specs, target, argc, argv, &words);

	*code = rc > EXIT_USAGE ? EXIT_OK : rc;
	if (rc)
		return false;
	if (words != 1) {
		report("%s: name one trace", help->name);
		*code = EXIT_USAGE;
		return false;
	}
	trace_init(trace);
	if (!trace_open(trace, argv[1], 0))
		return true;
	trace_release(trace);
	*code = EXIT_BAD;
	return false;
}
