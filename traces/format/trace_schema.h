/* SPDX-License-Identifier: MIT
 * records.def as data: how each row struct of trace.h lies in its SQLite table.
 */
#ifndef WARPREEL_TRACE_SCHEMA_H
#define WARPREEL_TRACE_SCHEMA_H

#include "trace.h"

enum column_kind {
	COLUMN_INT,
	COLUMN_COUNT,
	COLUMN_ID,
	COLUMN_TIME,
	COLUMN_KILO,
	COLUMN_NAME,
	COLUMN_TEXT,
	COLUMN_ALTERNATIVE,
	COLUMN_REAL,
	COLUMN_FIXED
};
enum field_type { FIELD_I32, FIELD_U32, FIELD_I64, FIELD_F64, FIELD_NONE };

struct schema_column {
	const char *name;
	enum column_kind kind;
	enum field_type type;
	size_t offset;	   /* of the field in the row struct */
	const char *since; /* NULL: required */
	int64_t absent;	   /* COLUMN_FIXED: the value to write */
};

struct schema_table {
	const char *array;	       /* name in TRACE_TABLES */
	const char *name, *older_name; /* in SQL */
	const char *order;	       /* column that orders the rows; NULL = as added */
	const char *filter;
	const char *key[2]; /* columns that tell its rows apart and order them; NULL = none */
	const struct schema_column *column;
	int column_count;
	size_t row_bytes;
	size_t array_offset, count_offset, capacity_offset; /* in struct trace */
};

enum {
	SCHEMA_TABLE_COUNT = 0
#define COUNT(name) +1
	TRACE_TABLES(COUNT)
#undef COUNT
};
enum { SCHEMA_MAX_COLUMNS = 32 };

extern const struct schema_table schema_tables[SCHEMA_TABLE_COUNT];

/* Rows of a table; field access by column. Strings come back as their number. */
const void *schema_row(const struct trace *trace, const struct schema_table *table, size_t row);
size_t schema_count(const struct trace *trace, const struct schema_table *table);
void *schema_add(struct trace *trace, const struct schema_table *table); /* zeroed */
int64_t schema_get(const void *row, const struct schema_column *column);
double schema_get_real(const void *row, const struct schema_column *column);
/* -1 when the value does not fit the field. */
int schema_set(void *row, const struct schema_column *column, int64_t value);
void schema_set_real(void *row, const struct schema_column *column, double value);
static inline bool schema_is_text(const struct schema_column *column)
{
	return column->kind == COLUMN_NAME || column->kind == COLUMN_TEXT;
}
/* Columns that are part of the data: neither fixed nor an alternative spelling. */
static inline bool schema_is_data(const struct schema_column *column)
{
	return column->kind != COLUMN_FIXED && column->kind != COLUMN_ALTERNATIVE;
}

#endif
