/* SPDX-License-Identifier: MIT
 * warpreel index: what predictions look up in the traces of a folder, as a table beside them.
 */
#include <errno.h>
#include <string.h>

#include "model/records/record_index.h"
#include "traces/base/options.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "traces/profiles/profile_index.h"
#include "traces/program/program.h"

struct index_options {
	const char *output, *of;
};

#define AT(field) offsetof(struct index_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "the table, index.tsv beside the traces (required)" },
	{ "of", OPTION_CHOICE, AT(of), "kernels", 0, 0, "kernels|records",
	  "which file has the profiles of which kernels, or how long kernels of one-GPU runs "
	  "took" },
	{ 0 },
};
static const struct command_help help = {
	"index", "index -o FILE [--of kernels|records] TRACE...",
	"Makes a table of what predictions look up in the traces of a folder, so that they unpack "
	"only the traces they need. A trace that changed since is read as if there were no table."
};

static int write_index(const struct index_options *o, char *const *files, size_t count)
{
	struct output output;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++)
		rc = output_differs(o->output, files[i]);
	if (rc || output_check(o->output))
		return EXIT_BAD;
	output_begin(&output, o->output);
	FILE *out = output_open(&output);
	rc = !out ? report("cannot write '%s': %s", o->output, strerror(errno))
	     : !strcmp(o->of, "records") ? record_index_write(out, files, count)
					 : profile_index_write(out, files, count);
	if (out && (ferror(out) | fclose(out)) && !rc)
		rc = report("cannot write '%s': %s", o->output, strerror(errno));
	if (!rc)
		return output_commit(&output) ? EXIT_BAD : EXIT_OK;
	output_abandon(&output);
	return EXIT_BAD;
}

int cmd_index(const struct program *program, int argc, char **argv)
{
	struct index_options o = { 0 };
	int words, code = options_parse(&help, options, &o, argc, argv, &words);

	(void)program;
	if (code)
		return code > EXIT_USAGE ? EXIT_OK : code;
	if (!o.output || !words) {
		report("index: -o FILE and the traces are needed (see warpreel index --help)");
		return EXIT_USAGE;
	}
	return write_index(&o, argv + 1, (size_t)words);
}
