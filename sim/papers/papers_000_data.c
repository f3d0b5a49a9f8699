/* SPDX-License-Identifier: MIT
 * What the tables of Di et al. are made from: shipped tables, configurations, times of launches.
 */
#include "papers_000.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { MOST_COLUMNS = 32 };

int p000_read(struct p000_file *f, const char *folder, const char *name)
{
	*f = (struct p000_file){ .path = xprintf("%s/traces/data/%s/%s", util_root(), folder,
						 name) };
	FILE *in = fopen(f->path, "r");
	if (!in)
		return report("cannot open '%s': %s", f->path, strerror(errno));
	char *line = NULL, *field[MOST_COLUMNS + 1];
	size_t capacity = 0;
	int number = 0, rc = 0;
	while (!rc && getline(&line, &capacity, in) > 0) {
		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		const int count = split_tabs(line, field, MOST_COLUMNS + 1);
		if (!f->columns)
			f->columns = (size_t)count;
		else if ((size_t)count != f->columns)
			rc = report("%s:%d: %d columns instead of %zu", f->path, number, count,
				    f->columns);
		for (int c = 0; c < count && !rc; c++) {
			GROW(f->cell, f->count, f->capacity);
			f->cell[f->count++] = xstrdup(field[c]);
		}
	}
	if (!rc && f->count <= f->columns)
		rc = report("%s: holds no row", f->path);
	f->rows = f->columns ? f->count / f->columns - 1 : 0;
	free(line);
	fclose(in);
	return rc;
}

void p000_release(struct p000_file *f)
{
	for (size_t k = 0; k < f->count; k++)
		free(f->cell[k]);
	free(f->cell);
	free(f->path);
	*f = (struct p000_file){ 0 };
}

const char *p000_cell(const struct p000_file *f, size_t row, const char *column)
{
	for (size_t c = 0; c < f->columns; c++)
		if (!strcmp(f->cell[c], column))
			return f->cell[(row + 1) * f->columns + c];
	return NULL;
}

long p000_find(const struct p000_file *f, const char *const *keys)
{
	for (size_t row = 0; row < f->rows; row++) {
		bool all = true;
		for (const char *const *key = keys; *key && all; key++) {
			const char *equals = strchr(*key, '=');
			char *name = xprintf("%.*s", (int)(equals - *key), *key);
			const char *cell = p000_cell(f, row, name);
			all = cell && !strcmp(cell, equals + 1);
			free(name);
		}
		if (all)
			return (long)row;
	}
	return -1;
}

char *p000_config(const struct p000_run *r)
{
	char *form = r->form ? xprintf(" form=%s", r->form) : xstrdup("");
	char *config = xprintf("size=%dx%d subdomain=%dx%d layers=%d sweeps=alternating "
			       "planes=centred kernel=%s%s%s threads=%d transport=peer input=1 "
			       "omega=1.25 iterations=%d",
			       r->size, r->size, r->side, r->side, r->side / 2, r->kernel, form,
			       r->launches == 3 ? " launches=3" : "", r->threads,
			       r->iterations ? r->iterations : 2 * r->side);
	free(form);
	return config;
}

double p000_layer_us(const struct paper_work *w, const struct p000_run *r)
{
	char *config = p000_config(r);
	const double launch_us = paper_measured_launch_us(&w->runs, config);
	free(config);
	return launch_us * r->launches / (r->side / 2);
}

char *p000_redblack_config(int size, const char *points, int threads, int iterations)
{
	return xprintf("size=%dx%d kernel=redblack points=%s threads=%d transport=peer input=1 "
		       "omega=1.25 iterations=%d",
		       size, size, points, threads, iterations);
}

double p000_redblack_us(const struct paper_work *w, int size, const char *points, int threads)
{
	char *config = p000_redblack_config(size, points, threads, 8);
	const double launch_us = paper_measured_launch_us(&w->runs, config);
	free(config);
	return 2 * launch_us;
}

double p000_layers(const struct p000_file *counts, const char *method, const char *planes,
		   const char *sweeps, const char *input)
{
	char *keys[] = { xprintf("method=%s", method), xprintf("planes=%s", planes),
			 xprintf("sweeps=%s", sweeps), xprintf("input=%s", input), NULL };
	double layers = NAN;
	const long row = p000_find(counts, (const char *const *)keys);
	if (row >= 0 && parse_double(p000_cell(counts, (size_t)row, "layers"), &layers))
		layers = NAN;
	for (int k = 0; keys[k]; k++)
		free(keys[k]);
	return layers;
}

double p000_side_layers(const struct p000_file *counts, int side)
{
	char *method = xprintf("MLSSOR %dx%dx%d", side / 2, side, side);
	const double layers = p000_layers(counts, method, "printed", "alternating", "1");
	free(method);
	return layers;
}
