/* SPDX-License-Identifier: MIT
 * warpreel grid: a domain in a file, for solve --grid.
 */
#include <string.h>

#include "kernels/kit/grid_file.h"
#include "traces/base/options.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

struct grid_options {
	const char *size, *precision;
	double boundary;
};

#define AT(field) offsetof(struct grid_options, field)
static const struct option_spec options[] = {
	{ "size", OPTION_TEXT, AT(size), "1024", 0, 0, "N|ROWSxCOLUMNS",
	  "grid points, boundary included" },
	{ "precision", OPTION_CHOICE, AT(precision), "f32", 0, 0, "f32|f64",
	  "floating point format" },
	{ "boundary", OPTION_REAL, AT(boundary), "100", -1e30, 1e30, "V",
	  "the value of all boundary points; those inside are 0" },
	{ 0 },
};

int cmd_grid(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "grid", "grid FILE [options]",
					   "Writes a domain to a file: its values row by row, "
					   "nothing else." };
	struct grid_options o = { 0 };
	int64_t rows, columns;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1) {
		report("name one file: warpreel grid FILE [options]");
		return EXIT_USAGE;
	}
	return grid_parse_size(o.size, &rows, &columns) ||
			       grid_file_make(argv[1], rows, columns, !strcmp(o.precision, "f64"),
					      o.boundary)
		       ? EXIT_BAD
		       : EXIT_OK;
}
