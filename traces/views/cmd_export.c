/* SPDX-License-Identifier: MIT
 * warpreel export: a trace for other viewers.
 */
#include <errno.h>
#include <string.h>

#include "export.h"
#include "traces/base/options.h"
#include "traces/format/trace_folder.h"
#include "traces/program/program.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct export_options {
	const char *to, *output;
};

static const struct option_spec options[] = {
	{ "to", OPTION_CHOICE, offsetof(struct export_options, to), "chrome", 0, 0, "chrome",
	  "format: Chrome trace JSON, for ui.perfetto.dev" },
	{ "o", OPTION_TEXT, offsetof(struct export_options, output), NULL, 0, 0, "FILE",
	  "the file to write" },
	{ 0 },
};
static const struct command_help help = {
	"export", "export --to chrome -o OUT.json FILE|FOLDER",
	"Writes a trace, measured or predicted, in a format that other viewers open."
};

int cmd_export(const struct program *program, int argc, char **argv)
{
	struct export_options o;
	struct output output = { 0 };
	struct trace trace;
	FILE *file;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);

	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1 || !o.output) {
		report("export: %s", o.output ? "name one trace" : "say where to with -o");
		return EXIT_USAGE;
	}
	if (output_differs(o.output, argv[1]) || output_check(o.output))
		return EXIT_BAD;
	trace_init(&trace);
	if (trace_open(&trace, argv[1], 0) < 0) {
		trace_release(&trace);
		return EXIT_BAD;
	}
	rc = output_begin(&output, o.output);
	if (rc == 0) {
		file = output_open(&output);
		rc = file ? export_chrome(&trace, file) : -1;
		if (file && fclose(file) != 0)
			rc = -1;
		if (rc < 0) {
			report("%s: cannot write: %s", o.output, strerror(errno));
			output_abandon(&output);
		} else {
			rc = output_commit(&output);
		}
	}
	trace_release(&trace);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}
