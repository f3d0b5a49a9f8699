/* SPDX-License-Identifier: MIT
 * Tables that lie in the file by column (trace_columns.h), from a file that nobody vouches for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_columns.h"
#include "trace_read.h"
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

struct columns_reading {
	struct trace *trace;
	struct trace_source *source;
	const struct map *strings; /* StringIds.id -> string number */
	const struct schema_table *table;
	size_t first, count; /* its rows in the trace */
	bool seen[SCHEMA_MAX_COLUMNS];
};

static int bad_column(const struct columns_reading *r, const char *column, const char *what)
{
	return report("%s: WARPREEL_COLUMNS, %s.%.60s: %s", r->source->path, r->table->name, column,
		      what);
}

/* What rows are before any column is read: each value absent. */
static void make_rows(struct columns_reading *r, size_t count)
{
	r->first = schema_count(r->trace, r->table);
	r->count = count;
	for (size_t i = 0; i < count; i++) {
		void *row = schema_add(r->trace, r->table);
		for (int c = 0; c < r->table->column_count; c++)
			if (schema_is_data(&r->table->column[c]) &&
			    r->table->column[c].kind != COLUMN_REAL)
				schema_set(row, &r->table->column[c], r->table->column[c].absent);
	}
}

static void *row_of(const struct columns_reading *r, size_t i)
{
	return (void *)(uintptr_t)schema_row(r->trace, r->table, r->first + i);
}

static int put(const struct columns_reading *r, const struct schema_column *column, size_t i,
	       int64_t value)
{
	void *row = row_of(r, i);
	if (column->kind == COLUMN_REAL) {
		double real;
		memcpy(&real, &value, sizeof(real));
		schema_set_real(row, column, real);
		return 0;
	}
	if (schema_is_text(column)) {
		const uint32_t string = map_get(r->strings, value, 0);
		if (string == MAP_NONE)
			return bad_column(r, column->name, "names what is not in StringIds");
		value = string;
	}
	if ((column->kind == COLUMN_TIME && (value > INT64_MAX / 2 || value < INT64_MIN / 2)) ||
	    schema_set(row, column, value))
		return bad_column(r, column->name, "a value is out of range");
	return 0;
}

/* One row of WARPREEL_COLUMNS. */
static int read_column(struct columns_reading *r, sqlite3_stmt *statement)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	const unsigned char *bytes = sqlite3_column_blob(statement, 2);
	const int64_t rows = sqlite3_column_int64(statement, 1);
	const int64_t length = sqlite3_column_bytes(statement, 2);
	int c = 0;
	while (c < r->table->column_count && !(name && schema_is_data(&r->table->column[c]) &&
					       !sqlite3_stricmp(name, r->table->column[c].name)))
		c++;
	if (c == r->table->column_count)
		return 0; /* of a later version: as a column of rows that is not known */
	const struct schema_column *column = &r->table->column[c], *to = columns_to(r->table, c);
	if (rows < 1 || length < rows || length % rows || length / rows > 8)
		return bad_column(r, name, "not 1 to 8 bytes for each of its rows");
	if (!r->count)
		make_rows(r, (size_t)rows);
	if ((size_t)rows != r->count)
		return bad_column(r, name, "has other rows than the columns before it");
	if (r->seen[c])
		return bad_column(r, name, "stands twice");
	if (to && !r->seen[to - r->table->column])
		return bad_column(r, name, "stands before the time it is counted from");
	r->seen[c] = true;
	int64_t *value = xmalloc(2 * r->count * sizeof(*value)), *from = value + r->count;
	for (size_t i = 0; to && i < r->count; i++)
		from[i] = columns_get(row_of(r, i), to);
	columns_decode(bytes, (int)(length / rows), to ? from : NULL, r->count, value);
	int rc = 0;
	for (size_t i = 0; i < r->count && !rc; i++)
		rc = put(r, column, i, value[i]);
	free(value);
	return rc;
}

int trace_read_columns(struct trace *trace, struct trace_source *source,
		       const struct schema_table *table, const struct map *strings)
{
	static const char *const columns[] = { "name", "column", "rows", "bytes" };
	struct columns_reading r = {
		.trace = trace, .source = source, .strings = strings, .table = table
	};
	bool has[4];
	int64_t row = 0;
	int rc = source_has_table(source, "WARPREEL_COLUMNS");
	if (rc <= 0)
		return rc;
	if (source_has_columns(source, "WARPREEL_COLUMNS", columns, 4, has))
		return -1;
	for (int k = 0; k < 4; k++)
		if (!has[k])
			return report("%s: WARPREEL_COLUMNS lacks column %s", source->path,
				      columns[k]);
	sqlite3_stmt *statement = source_prepare(
		source, "SELECT column, rows, bytes FROM WARPREEL_COLUMNS WHERE name = ?1");
	if (!statement)
		return -1;
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	while ((rc = source_step(source, statement, "WARPREEL_COLUMNS", &row)) > 0 &&
	       !(rc = read_column(&r, statement)))
		;
	sqlite3_finalize(statement);
	for (int c = 0; c < table->column_count && !rc && r.count; c++)
		if (!r.seen[c] && !table->column[c].since && schema_is_data(&table->column[c]))
			rc = report("%s: WARPREEL_COLUMNS lacks %s.%s, which is needed",
				    source->path, table->name, table->column[c].name);
	return rc;
}
