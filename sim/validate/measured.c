/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_SOLVER,
	COLUMN_CONFIG,
	COLUMN_GPUS,
	COLUMN_CORE,
	COLUMN_MAD,
	COLUMN_TOTAL,
	COLUMN_ITERATIONS,
	COLUMN_VISIT,
	COLUMN_COUNT
};
enum { REQUIRED_COLUMNS = COLUMN_TOTAL }; /* the others may lack */

/* What the columns of a table are called; NULL: it has none, and the value is 1. */
struct columns {
	const char *name[COLUMN_COUNT];
	double us;
};
static const struct columns run_columns = { { "solver", "config", "gpus", "core_us", "core_mad_us",
					      "total_us", "iterations", "visit" },
					    1 };
static const struct columns kernel_columns = {
	{ "solver", "config", NULL, "median_ns", "mad_ns", NULL, NULL, "visit" }, 1e-3
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

/* A line's fields; false where one is no value of its column. Texts are borrowed from the line. */
static bool parse_row(char **of, double us, struct measured_row *row)
{
	int64_t gpus = 1;
	*row = (struct measured_row){ .solver = of[COLUMN_SOLVER],
				      .config = of[COLUMN_CONFIG],
				      .total_us = NAN,
				      .iterations = -1 };
	if ((of[COLUMN_GPUS] && parse_i64(of[COLUMN_GPUS], &gpus)) ||
	    parse_double(of[COLUMN_CORE], &row->core_us) ||
	    parse_double(of[COLUMN_MAD], &row->core_mad_us) || gpus < 1 || !(row->core_us > 0) ||
	    !(row->core_mad_us >= 0) ||
	    (of[COLUMN_TOTAL] &&
	     (parse_double(of[COLUMN_TOTAL], &row->total_us) || !(row->total_us > 0))) ||
	    (of[COLUMN_ITERATIONS] &&
	     (parse_i64(of[COLUMN_ITERATIONS], &row->iterations) || row->iterations < 1)))
		return false;
	row->gpus = (int)gpus;
	row->core_us *= us;
	row->core_mad_us *= us;
	return true;
}

/* What is read, and into what. */
struct reading {
	struct measured *measured;
	const char *leave_out;
	double us;
};

static int add_line(void *context, const struct table_row *line)
{
	struct reading *r = context;
	const char *visit = line->of[COLUMN_VISIT] ? line->of[COLUMN_VISIT] : "";
	struct measured_row row;
	if (!parse_row(line->of, r->us, &row))
		return -1;
	if (!listed(r->leave_out, visit))
		add(r->measured, &row, visit);
	return 0;
}

static int read_table(struct measured *measured, const char *path, const char *leave_out,
		      const struct columns *columns)
{
	const struct table_format format = { columns->name, COLUMN_COUNT, REQUIRED_COLUMNS,
					     "a measurement", "measurements" };
	struct reading reading = { measured, leave_out, columns->us };
	return table_read(path, &format, NULL, add_line, &reading);
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
