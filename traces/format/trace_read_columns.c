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
	/* of a part of it, or of all: */
	bool in_part;
	int64_t part;
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

/* Whether the part that ends here is whole. */
static int end_part(const struct columns_reading *r)
{
	for (int c = 0; c < r->table->column_count && r->count; c++)
		if (!r->seen[c] && !r->table->column[c].since &&
		    schema_is_data(&r->table->column[c]))
			return report("%s: WARPREEL_COLUMNS lacks %s.%s, which is needed",
				      r->source->path, r->table->name, r->table->column[c].name);
	return 0;
}

/* Rows of a part have its value, so there is no column of it. */
static int begin_part(struct columns_reading *r, const char *name, int64_t rows, bool in_part,
		      int64_t part)
{
	const struct schema_column *by = columns_part(r->table);
	if (in_part && !by)
		return bad_column(r, name, "is in parts, and its table is not");
	if (end_part(r))
		return -1;
	r->in_part = in_part;
	r->part = part;
	memset(r->seen, 0, sizeof(r->seen));
	make_rows(r, (size_t)rows);
	if (!in_part)
		return 0;
	r->seen[by - r->table->column] = true;
	for (size_t i = 0; i < r->count; i++)
		if (put(r, by, i, part))
			return -1;
	return 0;
}

/* One row of WARPREEL_COLUMNS. */
static int read_column(struct columns_reading *r, sqlite3_stmt *statement)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	const unsigned char *bytes = sqlite3_column_blob(statement, 2);
	const int64_t rows = sqlite3_column_int64(statement, 1);
	const int64_t length = sqlite3_column_bytes(statement, 2);
	const bool in_part = sqlite3_column_type(statement, 3) != SQLITE_NULL;
	const int64_t part = sqlite3_column_int64(statement, 3);
	int c = 0;
	while (c < r->table->column_count && !(name && schema_is_data(&r->table->column[c]) &&
					       !sqlite3_stricmp(name, r->table->column[c].name)))
		c++;
	if (c == r->table->column_count)
		return 0; /* of a later version: as a column of rows that is not known */
	const struct schema_column *column = &r->table->column[c], *to = columns_to(r->table, c);
	if (rows < 1 || length < rows || length % rows || length / rows > 8)
		return bad_column(r, name, "not 1 to 8 bytes for each of its rows");
	if ((!r->count || in_part != r->in_part || part != r->part) &&
	    begin_part(r, name, rows, in_part, part))
		return -1;
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
		       const struct schema_table *table, const struct map *strings, const char *set)
{
	enum { NEEDED = 4, PART = NEEDED };
	static const char *const columns[] = { "name", "column", "rows", "bytes", "part" };
	struct columns_reading r = {
		.trace = trace, .source = source, .strings = strings, .table = table
	};
	bool has[PART + 1];
	int64_t row = 0;
	int rc = source_has_table(source, "WARPREEL_COLUMNS");
	if (rc <= 0)
		return rc;
	if (source_has_columns(source, "WARPREEL_COLUMNS", columns, PART + 1, has))
		return -1;
	for (int k = 0; k < NEEDED; k++)
		if (!has[k])
			return report("%s: WARPREEL_COLUMNS lacks column %s", source->path,
				      columns[k]);
	if (set && !has[PART])
		return 0;
	char *sql = xprintf("SELECT column, rows, bytes, %s FROM WARPREEL_COLUMNS WHERE name = ?1 "
			    "%s%s ORDER BY rowid",
			    has[PART] ? "part" : "NULL", set ? "AND part IN " : "", set ? set : "");
	sqlite3_stmt *statement = source_prepare(source, sql);
	free(sql);
	if (!statement)
		return -1;
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	while ((rc = source_step(source, statement, "WARPREEL_COLUMNS", &row)) > 0 &&
	       !(rc = read_column(&r, statement)))
		;
	sqlite3_finalize(statement);
	return rc ? rc : end_part(&r);
}
