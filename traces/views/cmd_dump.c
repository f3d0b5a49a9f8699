/* SPDX-License-Identifier: MIT
 * warpreel dump: a trace as canonical text, for diff.
 */
#include <errno.h>
#include <string.h>

#include "traces/program/program.h"
#include "trace_argument.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct dump_options {
	const char *output;
};

static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, offsetof(struct dump_options, output), NULL, 0, 0, "FILE",
	  "write here instead of standard output" },
	{ 0 },
};
static const struct command_help help = {
	"dump", "dump [options] FILE|FOLDER",
	"Prints a trace as text, one line a row, sorted: equal traces give equal bytes."
};

static int dump_to(const struct trace *trace, const char *path)
{
	struct output output = { 0 };
	FILE *file;
	int rc;

	if (output_begin(&output, path) < 0)
		return -1;
	file = output_open(&output);
	rc = file ? trace_dump(trace, file) : -1;
	if (file && fclose(file) != 0)
		rc = -1;
	if (rc == 0)
		return output_commit(&output);
	report("%s: cannot write: %s", path, strerror(errno));
	output_abandon(&output);
	return -1;
}

int cmd_dump(const struct program *program, int argc, char **argv)
{
	struct dump_options o;
	struct trace trace;
	int rc;

	(void)program;
	if (!trace_argument(&help, options, &o, argc, argv, &trace, &rc))
		return rc;
	if (o.output)
		rc = output_differs(o.output, argv[1]) ? -1 : dump_to(&trace, o.output);
	else if (trace_dump(&trace, stdout) < 0 || fflush(stdout) != 0)
		rc = report("cannot write the dump of '%s': %s", argv[1], strerror(errno));
	trace_release(&trace);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}
