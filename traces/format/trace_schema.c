/* SPDX-License-Identifier: MIT */
#include "trace_schema.h"

#include <assert.h>
#include <string.h>

#include "traces/base/util.h"

#define TYPE_OF(array, field)                                                                      \
	_Generic(((struct trace_##array *)0)->field, int32_t                                       \
		 : FIELD_I32, uint32_t                                                             \
		 : FIELD_U32, int64_t                                                              \
		 : FIELD_I64, double                                                               \
		 : FIELD_F64)

#define FIELD(table, field, name, kind, since, absent)                                             \
	{                                                                                          \
		name, COLUMN_##kind, TYPE_OF(table, field), offsetof(struct trace_##table, field), \
			since, absent                                                              \
	}
#define VALUE(name, value)                                                                         \
	{                                                                                          \
		name, COLUMN_FIXED, FIELD_NONE, 0, "", value                                       \
	}

/* first pass: one column array for each table */
#define RECORDED(table, ...) static const struct schema_column table##_columns[] = {
#define TABLE(table, ...) static const struct schema_column table##_columns[] = {
#define BOTH(table, spooled, type, field, how, at, name, kind, since, absent)                      \
	[at] = FIELD(table, field, name, kind, since, absent),
#define BOTH3(table, spooled, type, field, at, x, y, z, kind, since, absent)                       \
	[at] = FIELD(table, field[0], x, kind, since, absent),                                     \
	[at + 1] = FIELD(table, field[1], y, kind, since, absent),                                 \
	[at + 2] = FIELD(table, field[2], z, kind, since, absent),
#define COLUMN_AT(table, type, field, at, name, kind, since, absent)                               \
	[at] = FIELD(table, field, name, kind, since, absent),
#define COLUMN(table, type, field, name, kind, since, absent)                                      \
	FIELD(table, field, name, kind, since, absent),
#define COLUMN3(table, type, field, x, y, z, kind, since, absent)                                  \
	FIELD(table, field[0], x, kind, since, absent),                                            \
		FIELD(table, field[1], y, kind, since, absent),                                    \
		FIELD(table, field[2], z, kind, since, absent),
#define FIXED_AT(table, at, name, value) [at] = VALUE(name, value),
#define FIXED(table, name, value) VALUE(name, value),
#define ALTERNATIVE(table, field, name) FIELD(table, field, name, ALTERNATIVE, "", 0),
#define END_RECORDED(table)                                                                        \
	}                                                                                          \
	;
#define END_TABLE(table)                                                                           \
	}                                                                                          \
	;
/* clang-format off */
#include "records.def"
/* clang-format on */

/* second pass: the tables, in the order of TRACE_TABLES */
enum {
#define NUMBER(name) SCHEMA_##name,
	TRACE_TABLES(NUMBER)
#undef NUMBER
};
#define OPEN(table_, name_, older_, order_)                                                        \
	[SCHEMA_##table_] = {                                                                      \
		.array = #table_, .name = name_, .older_name = older_, .order = order_,
#define CLOSE(table_)                                                                              \
	.column = table_##_columns,                                                                \
	.column_count = (int)(sizeof(table_##_columns) / sizeof(table_##_columns[0])),             \
	.row_bytes = sizeof(struct trace_##table_),                                                \
	.array_offset = offsetof(struct trace, table_),                                            \
	.count_offset = offsetof(struct trace, table_##_count),                                    \
	.capacity_offset = offsetof(struct trace, table_##_capacity),                              \
	}                                                                                          \
	,
#define RECORDED(table, record, name, older, order) OPEN(table, name, older, order)
#define TABLE(table, name, older, order) OPEN(table, name, older, order)
#define FILTER(table, condition) .filter = condition,
#define KEY(table, first, second) .key = { first, second },
#define END_RECORDED(table) CLOSE(table)
#define END_TABLE(table) CLOSE(table)
/* clang-format off */
const struct schema_table schema_tables[SCHEMA_TABLE_COUNT] = {
#include "records.def"
};
/* clang-format on */

/* Array pointers have as many types as there are tables: they are moved with memcpy. */
static char *array_of(const struct trace *trace, const struct schema_table *table)
{
	char *array;

	memcpy(&array, (const char *)trace + table->array_offset, sizeof(array));
	return array;
}

size_t schema_count(const struct trace *trace, const struct schema_table *table)
{
	size_t count;

	memcpy(&count, (const char *)trace + table->count_offset, sizeof(count));
	return count;
}

const void *schema_row(const struct trace *trace, const struct schema_table *table, size_t row)
{
	return array_of(trace, table) + row * table->row_bytes;
}

void *schema_add(struct trace *trace, const struct schema_table *table)
{
	char *array = array_of(trace, table);
	size_t count = schema_count(trace, table), capacity;

	memcpy(&capacity, (char *)trace + table->capacity_offset, sizeof(capacity));
	array = grow(array, count, &capacity, table->row_bytes);
	memcpy((char *)trace + table->array_offset, &array, sizeof(array));
	memcpy((char *)trace + table->capacity_offset, &capacity, sizeof(capacity));
	array += count * table->row_bytes;
	memset(array, 0, table->row_bytes);
	count++;
	memcpy((char *)trace + table->count_offset, &count, sizeof(count));
	return array;
}

int64_t schema_get(const void *row, const struct schema_column *column)
{
	const char *at = (const char *)row + column->offset;
	int64_t wide;
	int32_t narrow;
	uint32_t number;

	switch (column->type) {
	case FIELD_I32:
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	case FIELD_U32:
		memcpy(&number, at, sizeof(number));
		return number;
	case FIELD_I64:
		memcpy(&wide, at, sizeof(wide));
		return wide;
	default:
		return column->absent;
	}
}

double schema_get_real(const void *row, const struct schema_column *column)
{
	double value;

	assert(column->type == FIELD_F64);
	memcpy(&value, (const char *)row + column->offset, sizeof(value));
	return value;
}

int schema_set(void *row, const struct schema_column *column, int64_t value)
{
	char *at = (char *)row + column->offset;
	int32_t narrow = (int32_t)value;
	uint32_t number = (uint32_t)value;

	switch (column->type) {
	case FIELD_I32:
		if (narrow != value)
			return -1;
		memcpy(at, &narrow, sizeof(narrow));
		return 0;
	case FIELD_U32:
		if (number != value)
			return -1;
		memcpy(at, &number, sizeof(number));
		return 0;
	case FIELD_I64:
		memcpy(at, &value, sizeof(value));
		return 0;
	default:
		return -1;
	}
}

void schema_set_real(void *row, const struct schema_column *column, double value)
{
	assert(column->type == FIELD_F64);
	memcpy((char *)row + column->offset, &value, sizeof(value));
}
