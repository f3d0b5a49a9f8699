/* SPDX-License-Identifier: MIT
 * The checksum is FNV-1a (Fowler, Noll, Vo 1991) of 64 bits over the values of all columns, row
 * after row as they lie in the file: of each its type and its bytes, least first.
 */
#include "trace_seal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace_read.h"
#include "trace_schema.h"
#include "traces/base/util.h"

enum { MOST_TABLES = 256, SUM_BYTES = 17 };

static uint64_t add_bytes(uint64_t sum, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3u;
	return sum;
}

static uint64_t add_number(uint64_t sum, uint64_t number)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
	return add_bytes(sum, bytes, sizeof(bytes));
}

static uint64_t add_row(uint64_t sum, sqlite3_stmt *row)
{
	for (int i = 0; i < sqlite3_column_count(row); i++) {
		const int type = sqlite3_column_type(row, i);
		const unsigned char *bytes;
		uint64_t bits;
		double value;

		sum = add_number(sum, (uint64_t)type);
		switch (type) {
		case SQLITE_INTEGER:
			sum = add_number(sum, (uint64_t)sqlite3_column_int64(row, i));
			break;
		case SQLITE_FLOAT:
			value = sqlite3_column_double(row, i);
			memcpy(&bits, &value, sizeof(bits));
			sum = add_number(sum, bits);
			break;
		case SQLITE_TEXT:
		case SQLITE_BLOB:
			bytes = sqlite3_column_blob(row, i);
			sum = add_number(sum, (uint64_t)sqlite3_column_bytes(row, i));
			sum = add_bytes(sum, bytes, (size_t)sqlite3_column_bytes(row, i));
			break;
		default:
			break;
		}
	}
	return sum;
}

/* The row that notes a table: its rows and their checksum. source: NULL while it is written. -1:
 * the database says why, or the source has said. */
static int sum_table(sqlite3 *db, struct trace_source *source, const char *table, int64_t *rows,
		     char sum_text[SUM_BYTES])
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *statement = NULL;
	uint64_t sum = 0xcbf29ce484222325u;
	int rc;

	*rows = 0;
	if (!sql)
		return -1;
	if (source)
		statement = source_prepare(source, sql);
	else if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		statement = NULL;
	sqlite3_free(sql);
	if (!statement)
		return -1;
	while (true) {
		if (source) {
			rc = source_step(source, statement, table, rows);
		} else {
			rc = sqlite3_step(statement);
			rc = rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : -1;
			*rows += rc > 0;
		}
		if (rc <= 0)
			break;
		sum = add_row(sum, statement);
	}
	sqlite3_finalize(statement);
	snprintf(sum_text, SUM_BYTES, "%016" PRIx64, sum);
	return rc;
}

int trace_seal_write(sqlite3 *db)
{
	sqlite3_stmt *names = NULL, *insert = NULL;
	int rc = -1;

	if (sqlite3_exec(db,
			 "CREATE TABLE WARPREEL_TABLES (name TEXT, rows INTEGER, checksum TEXT)",
			 NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db,
			       "SELECT name FROM sqlite_schema WHERE type = 'table'"
			       " AND name <> 'WARPREEL_TABLES' ORDER BY rowid",
			       -1, &names, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "INSERT INTO WARPREEL_TABLES VALUES (?1, ?2, ?3)", -1, &insert,
			       NULL) != SQLITE_OK)
		goto out;
	while ((rc = sqlite3_step(names)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(names, 0);
		char sum[SUM_BYTES];
		int64_t rows;

		if (sum_table(db, NULL, name, &rows, sum) < 0)
			break;
		sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(insert, 2, rows);
		sqlite3_bind_text(insert, 3, sum, -1, SQLITE_TRANSIENT);
		if (sqlite3_step(insert) != SQLITE_DONE)
			break;
		sqlite3_reset(insert);
	}
	rc = rc == SQLITE_DONE ? 0 : -1;
out:
	sqlite3_finalize(names);
	sqlite3_finalize(insert);
	return rc;
}

/* 1: the table is as it was noted, 0: it is not, after a message; -1: the file cannot be read. */
static int compare_table(struct trace_source *source, const char *name, int64_t noted_rows,
			 const char *noted_sum)
{
	int found = source_has_table(source, name);
	char sum[SUM_BYTES];
	int64_t rows = 0;

	if (found < 0)
		return -1;
	if (found && sum_table(source->db, source, name, &rows, sum) < 0)
		return -1;
	if (!found)
		report("%s: %.60s is gone; it was written with %" PRId64 " rows", source->path,
		       name, noted_rows);
	else if (rows != noted_rows)
		report("%s: %.60s has %" PRId64 " rows; it was written with %" PRId64, source->path,
		       name, rows, noted_rows);
	else if (strcmp(sum, noted_sum))
		report("%s: %.60s was changed after it was written: checksum %s, noted %.16s",
		       source->path, name, sum, noted_sum);
	else
		return 1;
	return 0;
}

/* Tables of ours that nobody noted; -1 after a message. */
static int count_added(struct trace_source *source, int64_t *altered)
{
	for (int i = 0; i < SCHEMA_TABLE_COUNT; i++) {
		const char *name = schema_tables[i].name;
		sqlite3_stmt *statement;
		int64_t row = 0;
		int found = source_has_table(source, name);

		if (found < 0)
			return -1;
		if (!found)
			continue;
		statement = source_prepare(source, "SELECT 1 FROM WARPREEL_TABLES WHERE name = ?1"
						   " COLLATE NOCASE");
		if (!statement)
			return -1;
		sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
		found = source_step(source, statement, "WARPREEL_TABLES", &row);
		sqlite3_finalize(statement);
		if (found < 0)
			return -1;
		if (!found) {
			report("%s: %s was added after the trace was written", source->path, name);
			++*altered;
		}
	}
	return 0;
}

static int check_source(struct trace_source *source, int64_t *altered)
{
	static const char *const columns[] = { "name", "rows", "checksum" };
	sqlite3_stmt *list;
	int64_t row = 0;
	int rc = source_has_table(source, "WARPREEL_TABLES");

	if (rc <= 0)
		return rc;
	for (int i = 0; i < 3; i++)
		if (source_has_column(source, "WARPREEL_TABLES", columns[i]) != 1)
			return report("%s: WARPREEL_TABLES lacks column %s", source->path,
				      columns[i]);
	list = source_prepare(source, "SELECT name, rows, checksum FROM WARPREEL_TABLES");
	if (!list)
		return -1;
	while ((rc = source_step(source, list, "WARPREEL_TABLES", &row)) > 0) {
		const char *name = (const char *)sqlite3_column_text(list, 0);
		const char *sum = (const char *)sqlite3_column_text(list, 2);

		if (!name || !sum || sqlite3_column_type(list, 1) != SQLITE_INTEGER ||
		    row > MOST_TABLES)
			rc = report("%s: WARPREEL_TABLES, row %" PRId64 ": not a table's rows and "
				    "checksum",
				    source->path, row);
		else
			rc = compare_table(source, name, sqlite3_column_int64(list, 1), sum);
		if (rc < 0)
			break;
		*altered += !rc;
	}
	sqlite3_finalize(list);
	return rc < 0 ? -1 : count_added(source, altered);
}

int trace_seal_check(struct trace *trace, int64_t max_bytes)
{
	struct trace_source source;
	int rc;

	trace->altered_tables = 0;
	if (source_open(&source, trace->path, max_bytes, false) < 0)
		return -1;
	rc = check_source(&source, &trace->altered_tables);
	source_close(&source);
	return rc;
}
