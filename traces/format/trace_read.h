/* SPDX-License-Identifier: MIT
 * Inside the reader: opening a database that nobody vouches for, and its rows.
 */
#ifndef WARPREEL_TRACE_READ_H
#define WARPREEL_TRACE_READ_H

#include <sqlite3.h>

#include "trace.h"

struct trace_source {
	sqlite3 *db;
	const char *path;			  /* borrowed; for messages */
	unsigned char *bytes;			  /* the database, when it came compressed */
	int64_t size_bytes;			  /* of the database */
	sqlite3_stmt *table_query, *column_query; /* kept, for there are many of either; NULL: none
						     was asked */
};

/* Opens read-only, checks that it is a whole SQLite database, page by page unless its content is
 * known, and takes every power from its schema. -1 after a message. */
int source_open(struct trace_source *source, const char *path, int64_t max_bytes, bool known);
void source_close(struct trace_source *source);
/* 1: there is such an ordinary table, 0: there is not, -1: something else has its name (reported).
 */
int source_has_table(struct trace_source *source, const char *table);
/* 1/0: the table has the column; -1 after a message. */
int source_has_column(struct trace_source *source, const char *table, const char *column);
/* The same of several; 0, or -1 after a message. */
int source_has_columns(struct trace_source *source, const char *table, const char *const *column,
		       int count, bool *has);
/* NULL after a message. */
sqlite3_stmt *source_prepare(struct trace_source *source, const char *sql);
/* Steps to the next row: 1 row, 0 end, -1 after a message. */
int source_step(struct trace_source *source, sqlite3_stmt *statement, const char *table,
		int64_t *row);

/* All rows of all tables of the schema; -1 after a message. foreign: an export, where a time pair
 * 0/0 is unknown. */
int trace_read_rows(struct trace *trace, struct trace_source *source, bool foreign);
/* Of one table of ours (its SQL name) the rows whose `column` is in `set`, a list in SQL with its
 * parentheses; NULL: all. -1 after a message. */
int trace_read_where(struct trace *trace, struct trace_source *source, const char *table,
		     const char *column, const char *set);
/* All rows of a table that lies in the file by column, or those of parts in `set`; none where it
 * does not. -1 after a message. */
struct map;
struct schema_table;
int trace_read_columns(struct trace *trace, struct trace_source *source,
		       const struct schema_table *table, const struct map *strings,
		       const char *set);

#endif
