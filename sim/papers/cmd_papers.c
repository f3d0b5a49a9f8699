/* SPDX-License-Identifier: MIT
 * warpreel papers: the tables of a paper again, with what it prints, what is measured today, and
 * what is simulated.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/platform/platform_default.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "papers.h"

struct papers_options {
	const char *table, *platform, *published, *measured, *launches, *format, *folder;
};

#define AT(field) offsetof(struct papers_options, field)
static const struct option_spec options[] = {
	{ "table", OPTION_TEXT, AT(table), "all", 0, 0, "NAME", "only this table" },
	{ "platform", OPTION_TEXT, AT(platform), PLATFORM_DEFAULT, 0, 0, "NAME",
	  "the machine of today: whose measurements, and what is simulated beside them" },
	{ "published", OPTION_TEXT, AT(published), NULL, 0, 0, "FILE",
	  "the paper's numbers (default: traces/data/papers/<paper>_published.tsv)" },
	{ "measured", OPTION_TEXT, AT(measured), NULL, 0, 0, "FILE",
	  "measured runs (default: traces/data/<platform>/papers_<paper>.tsv)" },
	{ "kernels", OPTION_TEXT, AT(launches), NULL, 0, 0, "FILE",
	  "measured kernel times (default: traces/data/<platform>/papers_<paper>_kernels.tsv)" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ "o", OPTION_TEXT, AT(folder), NULL, 0, 0, "FOLDER",
	  "write every table there instead, as NAME.tsv and NAME.md" },
	{ 0 },
};

static const struct paper *const papers[] = { &paper_000, &paper_001, &paper_002, &paper_003,
					      &paper_004 };
enum { PAPERS = sizeof(papers) / sizeof(papers[0]) };

void paper_compare(struct paper_work *w, const struct paper_comparison *comparison)
{
	if (isnan(comparison->known) || isnan(comparison->simulated) ||
	    w->compared & 1u << comparison->table)
		return;
	GROW(w->comparison, w->comparison_count, w->comparison_capacity);
	w->comparison[w->comparison_count++] = *comparison;
}

static const struct paper *find_paper(const char *name)
{
	for (size_t k = 0; k < PAPERS; k++)
		if (!strcmp(papers[k]->name, name))
			return papers[k];
	char *names = xstrdup("");
	for (size_t k = 0; k < PAPERS; k++) {
		char *longer = xprintf("%s%s%s", names, k ? ", " : "", papers[k]->name);
		free(names);
		names = longer;
	}
	report("no paper '%s'; there are: %s", name, names);
	free(names);
	return NULL;
}

static bool has_table(const struct paper *paper, const char *name)
{
	char *names = xstrdup("all");
	bool found = !strcmp(name, "all");
	for (const struct paper_table *table = paper->tables; table->name; table++) {
		char *longer = xprintf("%s, %s", names, table->name);
		free(names);
		names = longer;
		found |= !strcmp(name, table->name);
	}
	if (!found)
		report("--table '%s': paper %s has no such table; there are %s", name, paper->name,
		       names);
	free(names);
	return found;
}

static int write_file(const struct sheet *sheet, const char *folder, const char *name,
		      const char *ending, void (*write)(const struct sheet *, FILE *))
{
	struct output output;
	char *path = xprintf("%s/%s.%s", folder, name, ending);
	int rc = output_begin(&output, path);
	FILE *out = rc ? NULL : output_open(&output);
	if (!rc && !out)
		rc = report("cannot write '%s': %s", path, strerror(errno));
	if (out) {
		write(sheet, out);
		if (ferror(out) | fclose(out))
			rc = report("cannot write '%s': %s", path, strerror(errno));
	}
	if (rc)
		output_abandon(&output);
	else
		rc = output_commit(&output);
	free(path);
	return rc;
}

static int write_table(struct paper_work *work, const struct paper_table *table,
		       const struct papers_options *o, bool first)
{
	struct sheet sheet;
	sheet_init(&sheet, table->title);
	int rc = table->build(work, &sheet);
	if (!rc && o->folder) {
		rc = write_file(&sheet, o->folder, table->name, "tsv", sheet_write_tsv) ||
				     write_file(&sheet, o->folder, table->name, "md",
						sheet_write_text)
			     ? -1
			     : 0;
	} else if (!rc && !strcmp(o->format, "tsv")) {
		printf("%s", first ? "" : "\n");
		sheet_write_tsv(&sheet, stdout);
	} else if (!rc) {
		printf("%s%s\n\n", first ? "" : "\n", sheet.title);
		sheet_write_text(&sheet, stdout);
	}
	sheet_release(&sheet);
	return rc;
}

/* A table that was given, else the shipped one where there is one. */
static int read_measured(struct measured *measured, const char *given, char *shipped,
			 int (*read)(struct measured *measured, const char *path,
				     const char *leave_out))
{
	int rc = 0;
	if (given)
		rc = read(measured, given, NULL);
	else if (!access(shipped, F_OK))
		rc = read(measured, shipped, NULL);
	else
		report_warning("nothing is measured: '%s' is not there", shipped);
	free(shipped);
	return rc;
}

/* The folder of a platform's measurements under traces/data, as in validate; NULL after a message.
 */
static char *measured_folder(const char *platform)
{
	const struct predictor_options asked = { .platform = platform };
	struct predictor predictor;
	if (predictor_init(&predictor, NULL, &asked, false))
		return NULL;
	char *folder = xprintf("%s/traces/data/%s", util_root(), predictor_measured(&predictor));
	predictor_release(&predictor);
	return folder;
}

/* Times of kernels alone: those of the paper's sweeps, and what the platform has of other ones. */
static int read_all(struct paper_work *w, const struct paper *paper, const struct papers_options *o)
{
	char *folder = measured_folder(o->platform);
	if (!folder)
		return -1;
	char *published = o->published ? xstrdup(o->published)
				       : xprintf("%s/traces/data/papers/%s_published.tsv",
						 util_root(), paper->name);
	int rc = 0;
	if (!paper->reads_own)
		rc = published_read(&w->published, published);
	else if (o->published)
		rc = report("paper %s takes no --published: its tables read their own files",
			    paper->name);
	free(published);
	if (!rc)
		rc = read_measured(&w->runs.runs, o->measured,
				   paper->measured
					   ? xprintf("%s/%s", folder, paper->measured)
					   : xprintf("%s/papers_%s.tsv", folder, paper->name),
				   measured_read);
	if (!rc && (!paper->measured || o->launches))
		rc = read_measured(&w->runs.launches, o->launches,
				   xprintf("%s/papers_%s_kernels.tsv", folder, paper->name),
				   measured_read_kernels);
	if (!rc && !o->launches)
		rc = read_measured(&w->runs.launches, NULL, xprintf("%s/kernels.tsv", folder),
				   measured_read_kernels);
	free(folder);
	return rc;
}

static int run(const struct program *program, const struct paper *paper,
	       const struct papers_options *o)
{
	struct paper_work work = { 0 };
	paper_runs_init(&work.runs, program, paper->solver, o->platform);
	int rc = read_all(&work, paper, o);
	if (!rc && o->folder && mkdir(o->folder, 0777) && errno != EEXIST)
		rc = report("cannot make '%s': %s", o->folder, strerror(errno));
	bool first = true;
	for (const struct paper_table *table = paper->tables; !rc && table->name; table++) {
		if (strcmp(o->table, "all") && strcmp(o->table, table->name))
			continue;
		rc = write_table(&work, table, o, first);
		first = false;
	}
	paper_runs_release(&work.runs);
	published_release(&work.published);
	free(work.comparison);
	return rc;
}

int cmd_papers(const struct program *program, int argc, char **argv)
{
	const struct command_help help = {
		"papers", "papers PAPER [options]",
		"The tables of a paper: as published, measured today, and simulated.\n"
		"\n"
		"papers:\n"
		"000: Di et al., multi-layer SSOR\n"
		"001: Rodriguez et al., block relaxation\n"
		"002: Cotronis et al., local modified SOR\n"
		"003: Chen et al., weak execution ordering\n"
		"004: Spampinato, communication between GPUs"
	};
	struct papers_options o = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1) {
		report("name one paper: warpreel papers 002 [options]");
		return EXIT_USAGE;
	}
	const struct paper *paper = find_paper(argv[1]);
	if (!paper || !has_table(paper, o.table))
		return EXIT_USAGE;
	return run(program, paper, &o) ? EXIT_BAD : EXIT_OK;
}
