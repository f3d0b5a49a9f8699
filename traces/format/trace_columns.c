/* SPDX-License-Identifier: MIT */
#include "trace_columns.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* Fewer take less as rows. Of more a column could be longer than the reader lets a value be, which
 * is 16 MiB (take_powers). */
enum { ROWS_LEAST = 64, ROWS_MOST = 1 << 20 };

bool columns_wanted(const struct schema_table *table, size_t rows)
{
	static const char *const as_rows[] = { "WARPREEL_META", "WARPREEL_PROFILE",
					       "WARPREEL_PROFILE_CODE" };
	for (size_t k = 0; k < sizeof(as_rows) / sizeof(as_rows[0]); k++)
		if (!strcmp(table->name, as_rows[k]))
			return false;
	return rows >= ROWS_LEAST && (rows <= ROWS_MOST || columns_part(table));
}

const struct schema_column *columns_part(const struct schema_table *table)
{
	if (!strcmp(table->name, "WARPREEL_PROFILE_COUNT"))
		for (int c = 0; c < table->column_count; c++)
			if (!strcmp(table->column[c].name, table->key[0]))
				return &table->column[c];
	return NULL;
}

size_t columns_encode(const int64_t *value, const int64_t *to, size_t count, unsigned char *bytes,
		      int *planes)
{
	uint64_t *folded = xmalloc((count + 1) * sizeof(*folded)), all = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t from = (uint64_t)(to  ? to[i]
						 : i ? value[i - 1]
						     : 0),
			       difference = (uint64_t)value[i] - from;
		folded[i] = difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
		all |= folded[i];
	}
	*planes = 1;
	while (*planes < 8 && all >> 8 * *planes)
		++*planes;
	for (int k = 0; k < *planes; k++)
		for (size_t i = 0; i < count; i++)
			bytes[(size_t)k * count + i] = (unsigned char)(folded[i] >> 8 * k);
	free(folded);
	return (size_t)*planes * count;
}

void columns_decode(const unsigned char *bytes, int planes, const int64_t *to, size_t count,
		    int64_t *value)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t folded = 0;
		for (int k = 0; k < planes; k++)
			folded |= (uint64_t)bytes[(size_t)k * count + i] << 8 * k;
		const uint64_t difference = folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0),
			       from = (uint64_t)(to  ? to[i]
						 : i ? value[i - 1]
						     : 0);
		value[i] = (int64_t)(from + difference);
	}
}

const struct schema_column *columns_to(const struct schema_table *table, int column)
{
	if (table->column[column].kind != COLUMN_TIME)
		return NULL;
	for (int c = 0; c < column; c++)
		if (table->column[c].kind == COLUMN_TIME)
			return &table->column[c];
	return NULL;
}

int64_t columns_get(const void *row, const struct schema_column *column)
{
	if (column->kind != COLUMN_REAL)
		return schema_get(row, column);
	const double real = schema_get_real(row, column);
	int64_t bits;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

/* Rows of a table, in their order. */
struct part {
	const struct trace *trace;
	const struct schema_table *table;
	const size_t *order;
	size_t count;
};

static void take(const struct part *part, const struct schema_column *column, int64_t *value)
{
	for (size_t i = 0; i < part->count; i++)
		value[i] =
			columns_get(schema_row(part->trace, part->table, part->order[i]), column);
}

static int write_part(sqlite3 *db, sqlite3_stmt *insert, const struct part *part)
{
	const size_t count = part->count;
	const struct schema_table *table = part->table;
	const struct schema_column *by = columns_part(table);
	int64_t *value = xmalloc(2 * count * sizeof(*value)), *first = value + count;
	unsigned char *bytes = xmalloc(8 * count);
	int rc = SQLITE_OK;
	for (int c = 0; c < table->column_count && !rc; c++) {
		const struct schema_column *column = &table->column[c], *to = columns_to(table, c);
		int planes;
		if (!schema_is_data(column) || column == by)
			continue;
		take(part, column, value);
		if (to)
			take(part, to, first);
		const size_t length =
			columns_encode(value, to ? first : NULL, count, bytes, &planes);
		sqlite3_bind_text(insert, 1, table->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(insert, 2, column->name, -1, SQLITE_STATIC);
		if (by)
			sqlite3_bind_int64(
				insert, 3,
				schema_get(schema_row(part->trace, table, part->order[0]), by));
		sqlite3_bind_int64(insert, 4, (int64_t)count);
		sqlite3_bind_blob64(insert, 5, bytes, length, SQLITE_STATIC);
		rc = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(db);
		sqlite3_reset(insert);
	}
	free(bytes);
	free(value);
	return rc;
}

/* So many rows from the first on are of one part. */
static size_t length_of(const struct part *rest)
{
	const struct schema_column *by = columns_part(rest->table);
	size_t count = 1;
	if (!by)
		return rest->count;
	const int64_t first = schema_get(schema_row(rest->trace, rest->table, rest->order[0]), by);
	while (count < rest->count &&
	       schema_get(schema_row(rest->trace, rest->table, rest->order[count]), by) == first)
		count++;
	return count;
}

int columns_write(sqlite3 *db, const struct trace *trace, const struct schema_table *table,
		  const size_t *order)
{
	struct part rest = { trace, table, order, schema_count(trace, table) };
	sqlite3_stmt *insert = NULL;
	/* the bytes last, so that a part is found without reading those of others */
	int rc = sqlite3_exec(db,
			      "CREATE TABLE IF NOT EXISTS WARPREEL_COLUMNS (name TEXT, column "
			      "TEXT, part INTEGER, rows INTEGER, bytes BLOB)",
			      NULL, NULL, NULL);
	if (!rc)
		rc = sqlite3_prepare_v2(db,
					"INSERT INTO WARPREEL_COLUMNS VALUES (?1, ?2, ?3, ?4, ?5)",
					-1, &insert, NULL);
	while (rest.count && !rc) {
		struct part part = rest;
		part.count = length_of(&rest);
		rc = write_part(db, insert, &part);
		rest.order += part.count;
		rest.count -= part.count;
	}
	sqlite3_finalize(insert);
	return rc;
}
