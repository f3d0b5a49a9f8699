/* SPDX-License-Identifier: MIT
 * Rows of a database into the arrays of a trace, by the schema table alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "trace_columns.h"
#include "trace_read.h"
#include "trace_schema.h"
#include "traces/base/util.h"

/* One table being read. */
struct reading {
	struct trace *trace;
	struct trace_source *source;
	bool foreign;
	struct map *strings; /* StringIds.id -> string number */
	bool strings_later;  /* those that a row names, when it does */
	const struct schema_table *table;
	const char *column, *set;   /* those whose column is in it; NULL: all */
	const char *name;	    /* of the table in this file */
	int at[SCHEMA_MAX_COLUMNS]; /* column of the query, -1 = not in this file */
	int64_t row;
};

static int bad_value(const struct reading *r, const struct schema_column *column, const char *what)
{
	return report("%s: %s, row %" PRId64 ": %s %s", r->source->path, r->name, r->row,
		      column->name, what);
}

/* StringIds: their numbers need not be small or dense. */
static int read_strings(struct trace *trace, struct trace_source *source, struct map *strings)
{
	int found = source_has_table(source, "StringIds");
	sqlite3_stmt *statement;
	int64_t row = 0;
	int rc;

	if (found <= 0)
		return found;
	if (source_has_column(source, "StringIds", "id") != 1 ||
	    source_has_column(source, "StringIds", "value") != 1)
		return report("%s: StringIds lacks column id or value", source->path);
	statement = source_prepare(source, "SELECT id, value FROM StringIds");
	if (!statement)
		return -1;
	while ((rc = source_step(source, statement, "StringIds", &row)) > 0)
		map_put(strings, sqlite3_column_int64(statement, 0), 0,
			trace_string(trace, (const char *)sqlite3_column_text(statement, 1)));
	sqlite3_finalize(statement);
	return rc;
}

/* One of them; MAP_NONE: there is no such string. */
static uint32_t read_string(const struct reading *r, int64_t id)
{
	uint32_t string = map_get(r->strings, id, 0);
	sqlite3_stmt *statement;
	int64_t row = 0;

	if (string != MAP_NONE || !r->strings_later)
		return string;
	statement = source_prepare(r->source, "SELECT value FROM StringIds WHERE id = ?1");
	if (!statement)
		return MAP_NONE;
	sqlite3_bind_int64(statement, 1, id);
	if (source_step(r->source, statement, "StringIds", &row) > 0) {
		string = trace_string(r->trace, (const char *)sqlite3_column_text(statement, 0));
		map_put(r->strings, id, 0, string);
	}
	sqlite3_finalize(statement);
	return string;
}

/* The query for the columns that this file has; NULL after a message. */
static sqlite3_stmt *make_query(struct reading *r)
{
	const struct schema_table *table = r->table;
	sqlite3_stmt *statement;
	char *sql = xstrdup("SELECT 1"), *longer;
	const char *column_name[SCHEMA_MAX_COLUMNS];
	bool has[SCHEMA_MAX_COLUMNS];
	int next = 1;

	for (int i = 0; i < table->column_count; i++)
		column_name[i] = table->column[i].name;
	if (source_has_columns(r->source, r->name, column_name, table->column_count, has) < 0)
		goto bad;
	for (int i = 0; i < table->column_count; i++) {
		const struct schema_column *column = &table->column[i];

		r->at[i] = -1;
		if (!has[i] && !column->since) {
			report("%s: %s lacks column %s, which is needed (older or foreign schema)",
			       r->source->path, r->name, column->name);
			goto bad;
		}
		if (!has[i] || column->kind == COLUMN_FIXED)
			continue;
		r->at[i] = next++;
		longer = xprintf("%s, \"%s\"", sql, column->name);
		free(sql);
		sql = longer;
	}
	if (r->set)
		longer = xprintf("%s FROM \"%s\" WHERE \"%s\" IN %s", sql, r->name, r->column,
				 r->set);
	else
		longer = xprintf("%s FROM \"%s\" %s %s", sql, r->name, table->filter ? "WHERE" : "",
				 table->filter ? table->filter : "");
	free(sql);
	statement = source_prepare(r->source, longer);
	free(longer);
	return statement;
bad:
	free(sql);
	return NULL;
}

static int read_number(const struct reading *r, sqlite3_stmt *statement,
		       const struct schema_column *column, int at, void *row)
{
	int type = sqlite3_column_type(statement, at);
	int64_t value = column->absent;

	if (type == SQLITE_INTEGER) {
		value = sqlite3_column_int64(statement, at);
		if ((column->kind == COLUMN_ID && value == UINT32_MAX) ||
		    (column->kind != COLUMN_INT && value < -1))
			value = column->kind == COLUMN_ID ? -1
							  : value; /* CUPTI's "does not apply" */
		else if (column->kind == COLUMN_KILO && value > 0)
			value /= 1000;
		if (column->kind == COLUMN_TIME && (value > INT64_MAX / 2 || value < INT64_MIN / 2))
			return bad_value(r, column, "is out of range");
	} else if (type != SQLITE_NULL) {
		return bad_value(r, column, "is not an integer");
	}
	return schema_set(row, column, value) == 0 ? 0 : bad_value(r, column, "is out of range");
}

static int read_text(const struct reading *r, sqlite3_stmt *statement,
		     const struct schema_column *column, int at, void *row)
{
	uint32_t string = 0;

	if (sqlite3_column_type(statement, at) == SQLITE_NULL) {
		if (column->kind == COLUMN_ALTERNATIVE)
			return 0; /* the NAME column before it stands */
	} else if (column->kind == COLUMN_NAME) {
		string = read_string(r, sqlite3_column_int64(statement, at));
		if (string == MAP_NONE)
			return bad_value(r, column, "is not in StringIds");
	} else {
		string = trace_string(r->trace, (const char *)sqlite3_column_text(statement, at));
	}
	return schema_set(row, column, string);
}

static int read_real(const struct reading *r, sqlite3_stmt *statement,
		     const struct schema_column *column, int at, void *row)
{
	int type = sqlite3_column_type(statement, at);

	if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
		return bad_value(r, column, "is not a number");
	schema_set_real(row, column, sqlite3_column_double(statement, at));
	return 0;
}

/* CUPTI writes 0 and 0 when it could not measure: unknown, not the beginning of the session. Our
 * own files say NULL. */
static void forget_zero_times(const struct schema_table *table, void *row)
{
	const struct schema_column *first = NULL, *second = NULL;

	for (int i = 0; i < table->column_count; i++) {
		if (table->column[i].kind != COLUMN_TIME)
			continue;
		if (!first)
			first = &table->column[i];
		else
			second = &table->column[i];
	}
	if (!first || schema_get(row, first) != 0 || (second && schema_get(row, second) != 0))
		return;
	schema_set(row, first, -1);
	if (second)
		schema_set(row, second, -1);
}

static int read_row(struct reading *r, sqlite3_stmt *statement)
{
	const struct schema_table *table = r->table;
	void *row = schema_add(r->trace, table);

	for (int i = 0; i < table->column_count; i++) {
		const struct schema_column *column = &table->column[i];
		int rc;

		if (column->kind == COLUMN_FIXED)
			continue;
		if (r->at[i] < 0)
			rc = column->kind == COLUMN_ALTERNATIVE
				     ? 0
				     : schema_set(row, column, column->absent);
		else if (column->kind == COLUMN_REAL)
			rc = read_real(r, statement, column, r->at[i], row);
		else if (schema_is_text(column) || column->kind == COLUMN_ALTERNATIVE)
			rc = read_text(r, statement, column, r->at[i], row);
		else
			rc = read_number(r, statement, column, r->at[i], row);
		if (rc < 0)
			return -1;
	}
	if (r->foreign)
		forget_zero_times(table, row);
	return 0;
}

static int read_table(struct reading *r)
{
	int found = source_has_table(r->source, r->name = r->table->name);
	sqlite3_stmt *statement;
	int rc;

	if (found == 0 && r->table->older_name)
		found = source_has_table(r->source, r->name = r->table->older_name);
	if (found < 0)
		return -1;
	if (!found) /* Nsight makes tables when it has rows: no table, nothing seen */
		return r->foreign || (r->set && !columns_part(r->table))
			       ? 0
			       : trace_read_columns(r->trace, r->source, r->table, r->strings,
						    r->set);
	statement = make_query(r);
	if (!statement)
		return -1;
	r->row = 0;
	while ((rc = source_step(r->source, statement, r->name, &r->row)) > 0)
		if (read_row(r, statement) < 0) {
			rc = -1;
			break;
		}
	sqlite3_finalize(statement);
	return rc;
}

int trace_read_rows(struct trace *trace, struct trace_source *source, bool foreign)
{
	struct map strings = { 0 };
	int rc = read_strings(trace, source, &strings);

	for (int i = 0; i < SCHEMA_TABLE_COUNT && rc >= 0; i++) {
		struct reading reading = { .trace = trace,
					   .source = source,
					   .foreign = foreign,
					   .strings = &strings,
					   .table = &schema_tables[i] };

		rc = read_table(&reading);
	}
	map_release(&strings);
	return rc < 0 ? -1 : 0;
}

int trace_read_where(struct trace *trace, struct trace_source *source, const char *table,
		     const char *column, const char *set)
{
	struct map strings = { 0 };
	int rc = 0;

	for (int i = 0; i < SCHEMA_TABLE_COUNT && rc >= 0; i++) {
		struct reading reading = { .trace = trace,
					   .source = source,
					   .strings = &strings,
					   .strings_later = true,
					   .table = &schema_tables[i],
					   .column = column,
					   .set = set };

		if (strcmp(schema_tables[i].name, table) == 0)
			rc = read_table(&reading);
	}
	map_release(&strings);
	return rc < 0 ? -1 : 0;
}
