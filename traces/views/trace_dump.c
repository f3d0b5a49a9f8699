/* SPDX-License-Identifier: MIT
 * Canonical text of a trace: tables in schema order, rows sorted by all columns. Equal traces give
 * equal bytes, whatever the order in which rows were added or strings were met.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/format/trace_schema.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

struct dumping {
	const struct trace *trace;
	const struct schema_table *table;
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct dumping *d = context;
	const void *a = *(const void *const *)left, *b = *(const void *const *)right;

	for (int i = 0; i < d->table->column_count; i++) {
		const struct schema_column *column = &d->table->column[i];
		int order = 0;

		if (!schema_is_data(column))
			continue;
		if (column->kind == COLUMN_REAL) {
			double x = schema_get_real(a, column), y = schema_get_real(b, column);

			order = (x > y) - (x < y);
		} else {
			int64_t x = schema_get(a, column), y = schema_get(b, column);

			if (schema_is_text(column))
				order = x == y ? 0
					       : strcmp(trace_text(d->trace, (uint32_t)x),
							trace_text(d->trace, (uint32_t)y));
			else
				order = (x > y) - (x < y);
		}
		if (order)
			return order;
	}
	return 0;
}

/* So that a row stays a line, and no two texts are one. */
static void put_text(FILE *out, const char *text)
{
	char *shown = text_shown(text);

	fputs(shown, out);
	free(shown);
}

static void put_row(const struct dumping *d, const void *row, FILE *out)
{
	fputs(d->table->array, out);
	for (int i = 0; i < d->table->column_count; i++) {
		const struct schema_column *column = &d->table->column[i];

		if (!schema_is_data(column))
			continue;
		putc('\t', out);
		if (column->kind == COLUMN_REAL)
			fprintf(out, "%.17g", schema_get_real(row, column));
		else if (schema_is_text(column))
			put_text(out, trace_text(d->trace, (uint32_t)schema_get(row, column)));
		else
			fprintf(out, "%" PRId64, schema_get(row, column));
	}
	putc('\n', out);
}

int trace_dump(const struct trace *trace, FILE *out)
{
	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++) {
		struct dumping d = { .trace = trace, .table = &schema_tables[i] };
		size_t count = schema_count(trace, d.table);
		const void **rows = xmalloc((count + 1) * sizeof(*rows));

		fprintf(out, "# %s", d.table->array);
		for (int c = 0; c < d.table->column_count; c++)
			if (schema_is_data(&d.table->column[c]))
				fprintf(out, "\t%s", d.table->column[c].name);
		putc('\n', out);
		for (size_t r = 0; r < count; r++)
			rows[r] = schema_row(trace, d.table, r);
		qsort_r(rows, count, sizeof(*rows), compare_rows, &d);
		for (size_t r = 0; r < count; r++)
			put_row(&d, rows[r], out);
		free(rows);
	}
	return ferror(out) ? -1 : 0;
}
