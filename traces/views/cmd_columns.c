/* SPDX-License-Identifier: MIT
 * warpreel columns: a table of runs with what their configurations say, a column each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/output.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

enum { MOST_ADDED = 24 };

struct columns_options {
	const char *of, *output;
};

static const struct option_spec options[] = {
	{ "of", OPTION_TEXT, offsetof(struct columns_options, of),
	  "rows,columns,border,iterations,transport", 0, 0, "NAME[,NAME...]",
	  "columns to add: those of the default, others of a solver, names of its options, "
	  "canonical (the configuration with every option in its place), or options (the same for "
	  "a command line)" },
	{ "o", OPTION_TEXT, offsetof(struct columns_options, output), NULL, 0, 0, "FILE",
	  "write here instead of standard output" },
	{ 0 },
};
static const struct command_help help = { "columns", "columns [options] TABLE",
					  "Adds columns to a table that has the columns solver and "
					  "config (and gpus): what each configuration says." };

struct adding {
	const struct program *program;
	char *solvers, *names; /* owned; the latter taken apart */
	const char *name[MOST_ADDED];
	int count;
	FILE *out;
};

enum { COLUMN_SOLVER, COLUMN_CONFIG, COLUMN_GPUS, COLUMN_COUNT };
static const char *const column_name[COLUMN_COUNT] = { "solver", "config", "gpus" };
static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_GPUS, "a run",
					    "runs" };

/* As it stands, but for what a terminal would obey. */
static void put_field(FILE *out, const char *before, const char *text)
{
	char *shown = xmalloc(strlen(text) * TEXT_SHOW_BYTES + 1);

	text_escape(shown, text, "\\");
	fprintf(out, "%s%s", before, shown);
	free(shown);
}

static void print_fields(const struct adding *a, const struct table_row *row)
{
	for (int f = 0; f < row->count; f++)
		put_field(a->out, f ? "\t" : "", row->field[f]);
}

static int print_header(void *context, const struct table_row *row)
{
	const struct adding *a = context;
	for (int c = 0; c < a->count; c++)
		for (int f = 0; f < row->count; f++)
			if (!strcmp(a->name[c], row->field[f]))
				return report("--of %s: the table has such a column", a->name[c]);
	print_fields(a, row);
	for (int c = 0; c < a->count; c++)
		fprintf(a->out, "\t%s", a->name[c]);
	fputc('\n', a->out);
	return 0;
}

static bool is_solver(const struct adding *a, const char *name)
{
	const size_t length = strlen(name);
	for (const char *at = a->solvers; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == length && !strncmp(at, name, length))
			return true;
	return false;
}

/* Programs of others have rows, too, and nothing to say. */
static int print_row(void *context, const struct table_row *row)
{
	const struct adding *a = context;
	const char *solver = row->of[COLUMN_SOLVER];
	int64_t gpus = 1;
	if (row->of[COLUMN_GPUS] && (parse_i64(row->of[COLUMN_GPUS], &gpus) || gpus < 1))
		return -1;
	const bool known = is_solver(a, solver);
	if (known) {
		char *config = a->program->column(solver, row->of[COLUMN_CONFIG], (uint32_t)gpus,
						  "canonical");
		if (!config)
			return -1;
		free(config);
	}
	print_fields(a, row);
	for (int c = 0; c < a->count; c++) {
		char *text = known ? a->program->column(solver, row->of[COLUMN_CONFIG],
							(uint32_t)gpus, a->name[c])
				   : NULL;
		fprintf(a->out, "\t%s", text ? text : "-");
		free(text);
	}
	fputc('\n', a->out);
	return 0;
}

static int split_names(struct adding *a, const char *names)
{
	a->names = xstrdup(names);
	char *rest = a->names;
	for (char *name; (name = strtok_r(rest, ",", &rest));) {
		if (a->count == MOST_ADDED)
			return report("--of: more than %d names", MOST_ADDED);
		a->name[a->count++] = name;
	}
	return a->count ? 0 : report("--of names nothing");
}

static int add_columns(struct adding *a, const char *table, const char *path)
{
	struct output output = { 0 };
	if (path && (output_differs(path, table) || output_begin(&output, path) < 0))
		return -1;
	a->out = path ? output_open(&output) : stdout;
	int rc = a->out ? table_read(table, &format, print_header, print_row, a) : -1;
	const bool written = a->out && !fflush(a->out) && !ferror(a->out);
	if (!written)
		rc = report("cannot write '%s': %s", path ? path : "standard output",
			    strerror(errno));
	if (path && a->out)
		fclose(a->out);
	if (path && !rc)
		return output_commit(&output);
	if (path)
		output_abandon(&output);
	return rc;
}

int cmd_columns(const struct program *program, int argc, char **argv)
{
	struct columns_options o;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1) {
		report("one table is needed ('-': standard input); see warpreel columns --help");
		return EXIT_USAGE;
	}
	struct adding adding = { .program = program };
	if (split_names(&adding, o.of)) {
		free(adding.names);
		return EXIT_USAGE;
	}
	adding.solvers = program->solver_names();
	rc = add_columns(&adding, argv[1], o.output);
	free(adding.solvers);
	free(adding.names);
	return rc < 0 ? EXIT_BAD : EXIT_OK;
}
