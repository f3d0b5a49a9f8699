/* SPDX-License-Identifier: MIT
 * What the tables of Chen et al. are made from: measured runs, and co-simulated ones.
 */
#include "papers_003.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "text_table.h"
#include "traces/base/util.h"

enum { TEXTS = 7 };
struct p003_text {
	struct text_table file[TEXTS];
};

const char *const p003_schemes[] = {
	"base",	     "coarse",	  "ud-stripe",	       "4w-stripe", "4w-combine-stripe",
	"ud-square", "4w-square", "4w-combine-square", NULL
};

/* A run as its solver reads it. */
struct run {
	const struct program *program;
	const char *solver, *config;
};

static int number_of(const struct run *run, const char *option)
{
	char *text = run->program->column(run->solver, run->config, 1, option);
	const int number = text ? atoi(text) : 0;
	free(text);
	return number;
}

static const char *scheme_of(const struct run *run)
{
	static const char *const others[] = { "graph", "barrier", "flags", "cluster",
					      "free",  "async",	  NULL };
	char *word = run->program->column(run->solver, run->config, 1, "scheme");
	const char *found = "";
	for (size_t k = 0; p003_schemes[k]; k++)
		if (word && !strcmp(p003_schemes[k], word))
			found = p003_schemes[k];
	for (size_t k = 0; others[k]; k++)
		if (word && !strcmp(others[k], word))
			found = others[k];
	free(word);
	return found;
}

static struct p003_row *add(struct p003_data *d, const char *by, const struct text_table *f,
			    size_t k)
{
	const struct run run = { d->program, text_table_cell(f, k, "solver"),
				 text_table_cell(f, k, "config") };
	GROW(d->row, d->count, d->capacity);
	struct p003_row *row = &d->row[d->count++];
	*row = (struct p003_row){
		.by = by,
		.solver = run.solver,
		.split = "",
		.scheme = scheme_of(&run),
		.n = number_of(&run, "host-sync"),
		.l = number_of(&run, "exchange"),
		.threads = number_of(&run, "threads"),
		.resident = number_of(&run, "resident"),
	};
	return row;
}

/* Numbers with commas between; how many. */
static int list_of(const char *text, double **values)
{
	size_t count = 0, capacity = 0;
	*values = NULL;
	for (const char *at = text; *at;) {
		char *end;
		GROW(*values, count, capacity);
		(*values)[count] = strtod(at, &end);
		if (end == at)
			return -1;
		count++;
		at = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return -1;
	}
	return (int)count;
}

static void spread(double three[3], const double *values, int count)
{
	static const double at[3] = { 0.05, 0.5, 0.95 };
	double *copy = xmalloc((size_t)count * sizeof(*copy));
	for (int k = 0; k < 3; k++) {
		memcpy(copy, values, (size_t)count * sizeof(*copy));
		three[k] = quantile_of(copy, (size_t)count, at[k]);
	}
	free(copy);
}

static int read_measured(struct p003_data *d, const struct text_table *f)
{
	for (size_t k = 0; k < f->rows; k++) {
		struct p003_row *row = add(d, "measured", f, k);
		row->split = text_table_cell(f, k, "split");
		row->runs = list_of(text_table_cell(f, k, "steps"), &row->each_steps);
		if (row->runs < 1 ||
		    list_of(text_table_cell(f, k, "core_us"), &row->each_us) != row->runs)
			return report("%s: row %zu: steps and core_us are not lists of equal "
				      "length",
				      f->path, k + 1);
		spread(row->steps, row->each_steps, row->runs);
		spread(row->us, row->each_us, row->runs);
	}
	return 0;
}

static int read_simulated(struct p003_data *d, const struct text_table *f)
{
	static const char *const columns[] = { "steps_lo",   "steps",	"steps_hi",
					       "core_lo_us", "core_us", "core_hi_us" };
	for (size_t k = 0; k < f->rows; k++) {
		struct p003_row *row = add(d, text_table_cell(f, k, "costs"), f, k);
		for (int c = 0; c < 6; c++)
			if (parse_double(text_table_cell(f, k, columns[c]),
					 c < 3 ? &row->steps[c] : &row->us[c - 3]))
				return report("%s: row %zu: %s is no number", f->path, k + 1,
					      columns[c]);
	}
	return 0;
}

static int want_columns(const struct text_table *f, const char *const *names)
{
	for (; *names; names++)
		if (!text_table_cell(f, 0, *names))
			return report("%s: no column %s", f->path, *names);
	return 0;
}

int p003_read(struct p003_data *d, const struct program *program)
{
	static const char *const measured[] = { "solver", "config",  "split",
						"steps",  "core_us", NULL },
				 *const simulated[] = { "costs",   "solver",	 "config",
							"steps",   "steps_lo",	 "steps_hi",
							"core_us", "core_lo_us", "core_hi_us",
							NULL };
	*d = (struct p003_data){ .program = program, .text = xcalloc(1, sizeof(*d->text)) };
	/* The fourth blind list was measured on an H100, and on nothing else. */
	static const struct {
		const char *folder, *name;
		const char *const *columns;
		int (*read)(struct p003_data *d, const struct text_table *f);
	} files[TEXTS] = {
		{ PLATFORM_DEFAULT, "papers_003_runs.tsv", measured, read_measured },
		{ "h100x1", "papers_003_runs.tsv", measured, read_measured },
		{ PLATFORM_DEFAULT, "papers_003_cosimulated.tsv", simulated, read_simulated },
		{ "papers", "003_cosimulated.tsv", simulated, read_simulated },
		{ PLATFORM_DEFAULT, "papers_003_today.tsv", simulated, read_simulated },
		{ PLATFORM_DEFAULT, "papers_003_blind4.tsv", simulated, read_simulated },
		{ PLATFORM_DEFAULT, "papers_003_blind5.tsv", simulated, read_simulated }
	};
	for (int k = 0; k < TEXTS; k++) {
		struct text_table *f = &d->text->file[k];
		if (text_table_read(f, files[k].folder, files[k].name) ||
		    want_columns(f, files[k].columns) || files[k].read(d, f))
			return -1;
	}
	return 0;
}

void p003_release(struct p003_data *d)
{
	for (size_t k = 0; k < d->count; k++) {
		free(d->row[k].each_steps);
		free(d->row[k].each_us);
	}
	free(d->row);
	for (int k = 0; k < TEXTS; k++)
		text_table_release(&d->text->file[k]);
	free(d->text);
	*d = (struct p003_data){ 0 };
}

const struct p003_row *p003_find(const struct p003_data *d, const char *by, const char *solver,
				 const char *scheme, int n, int l, int threads, int resident)
{
	const bool base = !strcmp(scheme, "base"), silent = base || !strcmp(scheme, "coarse");
	for (size_t k = 0; k < d->count; k++) {
		const struct p003_row *r = &d->row[k];
		if (!strcmp(r->by, by) && !strcmp(r->solver, solver) &&
		    !strcmp(r->scheme, scheme) && r->resident == resident &&
		    r->n == (base ? 1 : n) && (silent || (r->l == l && r->threads == threads)))
			return r;
	}
	return NULL;
}
