/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum {
	COLUMN_SOLVER,
	COLUMN_CONFIG,
	COLUMN_GPUS,
	COLUMN_CORE,
	COLUMN_MAD,
	COLUMN_TOTAL,
	COLUMN_ITERATIONS,
	COLUMN_COUNT,
	MOST_COLUMNS = 64
};
enum { REQUIRED_COLUMNS = COLUMN_TOTAL }; /* the others may lack */

/* What the columns of a table are called; NULL: it has none, and the value is 1. */
struct columns {
	const char *name[COLUMN_COUNT];
	double us;
};
static const struct columns run_columns = {
	{ "solver", "config", "gpus", "core_us", "core_mad_us", "total_us", "iterations" }, 1
};
static const struct columns kernel_columns = {
	{ "solver", "config", NULL, "median_ns", "mad_ns", NULL, NULL }, 1e-3
};

static struct measured_row *row_of(struct measured *measured, const char *solver,
				   const char *config, int gpus)
{
	for (size_t k = 0; k < measured->count; k++)
		if (measured->row[k].gpus == gpus && !strcmp(measured->row[k].config, config) &&
		    !strcmp(measured->row[k].solver, solver))
			return &measured->row[k];
	return NULL;
}

static void add(struct measured *measured, const struct measured_row *one, const char *visit)
{
	struct measured_row *row = row_of(measured, one->solver, one->config, one->gpus);
	if (!row) {
		GROW(measured->row, measured->count, measured->capacity);
		row = &measured->row[measured->count++];
		*row = *one;
		row->solver = xstrdup(one->solver);
		row->config = xstrdup(one->config);
	}
	size_t n = (size_t)++row->visits;
	row->visit_core_us = xrealloc(row->visit_core_us, n, sizeof(double));
	row->visit_total_us = xrealloc(row->visit_total_us, n, sizeof(double));
	row->visit_name = xrealloc(row->visit_name, n, sizeof(char *));
	row->visit_name[n - 1] = xstrdup(visit);
	row->visit_core_us[n - 1] = one->core_us;
	row->visit_total_us[n - 1] = one->total_us;
	row->core_us = median_of(row->visit_core_us, n);
	row->total_us = isnan(one->total_us) ? NAN : median_of(row->visit_total_us, n);
	row->core_mad_us =
		one->core_mad_us > row->core_mad_us ? one->core_mad_us : row->core_mad_us;
	row->visit_spread =
		(quantile_of(row->visit_core_us, n, 1) - quantile_of(row->visit_core_us, n, 0)) /
		row->core_us;
}

static bool listed(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = list; at && *at;) {
		size_t span = strcspn(at, " ");
		if (span == length && !strncmp(at, word, length))
			return true;
		at += span + strspn(at + span, " ");
	}
	return false;
}

/* Where each column is; -1 after a message. */
static int find_columns(const struct columns *columns, char *field[], int count,
			int column[COLUMN_COUNT], const char *path)
{
	for (int c = 0; c < COLUMN_COUNT; c++) {
		column[c] = -1;
		for (int f = 0; columns->name[c] && f < count; f++)
			column[c] = strcmp(field[f], columns->name[c]) ? column[c] : f;
		if (c < REQUIRED_COLUMNS && columns->name[c] && column[c] < 0)
			return report("%s: there is no column '%s'", path, columns->name[c]);
	}
	return 0;
}

/* A line's fields; false where one is no value of its column. Texts are borrowed from the line. */
static bool parse_row(char *field[], const int column[COLUMN_COUNT], const struct columns *columns,
		      struct measured_row *row)
{
	int64_t gpus = 1;
	*row = (struct measured_row){ .solver = field[column[COLUMN_SOLVER]],
				      .config = field[column[COLUMN_CONFIG]],
				      .total_us = NAN,
				      .iterations = -1 };
	if ((column[COLUMN_GPUS] >= 0 && parse_i64(field[column[COLUMN_GPUS]], &gpus)) ||
	    parse_double(field[column[COLUMN_CORE]], &row->core_us) ||
	    parse_double(field[column[COLUMN_MAD]], &row->core_mad_us) || gpus < 1 ||
	    !(row->core_us > 0) || !(row->core_mad_us >= 0) ||
	    (column[COLUMN_TOTAL] >= 0 &&
	     (parse_double(field[column[COLUMN_TOTAL]], &row->total_us) || !(row->total_us > 0))) ||
	    (column[COLUMN_ITERATIONS] >= 0 &&
	     (parse_i64(field[column[COLUMN_ITERATIONS]], &row->iterations) ||
	      row->iterations < 1)))
		return false;
	row->gpus = (int)gpus;
	row->core_us *= columns->us;
	row->core_mad_us *= columns->us;
	return true;
}

static int read_table(struct measured *measured, const char *path, const char *leave_out,
		      const struct columns *columns)
{
	FILE *file = fopen(path, "r");
	if (!file)
		return report("cannot open '%s': %s", path, strerror(errno));
	char *line = NULL, *field[MOST_COLUMNS];
	size_t capacity = 0;
	int number = 0, rc = 0, column[COLUMN_COUNT] = { 0 }, fields = 0, visit = -1;
	while (!rc && getline(&line, &capacity, file) > 0) {
		struct measured_row row;
		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		int count = split_tabs(line, field, MOST_COLUMNS);
		if (!fields) {
			fields = count;
			rc = find_columns(columns, field, count, column, path);
			for (int c = 0; c < count; c++)
				visit = strcmp(field[c], "visit") ? visit : c;
			continue;
		}
		if (count != fields || !parse_row(field, column, columns, &row))
			rc = report("%s:%d: not a measurement of %d columns", path, number, fields);
		else if (visit < 0 || !listed(leave_out, field[visit]))
			add(measured, &row, visit < 0 ? "" : field[visit]);
	}
	if (!rc && ferror(file))
		rc = report("cannot read '%s': %s", path, strerror(errno));
	else if (!rc && !fields)
		rc = report("%s: holds no table of measurements", path);
	free(line);
	fclose(file);
	return rc;
}

int measured_read(struct measured *measured, const char *path, const char *leave_out)
{
	return read_table(measured, path, leave_out, &run_columns);
}

int measured_read_kernels(struct measured *measured, const char *path, const char *leave_out)
{
	return read_table(measured, path, leave_out, &kernel_columns);
}

const struct measured_row *measured_find(const struct measured *measured, const char *solver,
					 const char *config, int gpus)
{
	return row_of((struct measured *)measured, solver, config, gpus);
}

static void row_release(struct measured_row *row)
{
	free(row->solver);
	free(row->config);
	for (int k = 0; k < row->visits; k++)
		free(row->visit_name[k]);
	free(row->visit_name);
	free(row->visit_core_us);
	free(row->visit_total_us);
}

size_t measured_keep(struct measured *measured, const char *solver)
{
	size_t kept = 0;
	for (size_t k = 0; k < measured->count; k++) {
		if (strcmp(measured->row[k].solver, solver))
			row_release(&measured->row[k]);
		else
			measured->row[kept++] = measured->row[k];
	}
	measured->count = kept;
	return kept;
}

void measured_release(struct measured *measured)
{
	for (size_t k = 0; k < measured->count; k++)
		row_release(&measured->row[k]);
	free(measured->row);
	memset(measured, 0, sizeof(*measured));
}
