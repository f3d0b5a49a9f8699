/* SPDX-License-Identifier: MIT
 * Tables of a trace by column: WARPREEL_COLUMNS has a row for each column of a table, its values
 * as bytes that compress to a third of what the same rows take. docs/warpreel-trace.5, "Columns".
 */
#ifndef WARPREEL_TRACE_COLUMNS_H
#define WARPREEL_TRACE_COLUMNS_H

#include <sqlite3.h>

#include "trace_schema.h"

/* Whether it is worth it, and nobody wants rows of the table (trace_read_profiles). */
bool columns_wanted(const struct schema_table *table, size_t rows);

/* The column whose values a table is in parts by, each part with columns of its own, so that it can
 * be read in part; NULL: it is whole. A table in parts has to be ordered by it. */
const struct schema_column *columns_part(const struct schema_table *table);

/* Adds a table's columns, its rows in this order. Makes WARPREEL_COLUMNS when there is none. An
 * SQLite code; the database says what went wrong. */
int columns_write(sqlite3 *db, const struct trace *trace, const struct schema_table *table,
		  const size_t *order);

/*
 * `count` values as a matrix of `*planes` x count bytes: of each the difference to `to`, where that
 * is not NULL, else to the value before it (of the first, to 0), as 2 d or -2 d - 1, whichever is
 * not negative; plane k has byte k of each, the lowest first. bytes: room for 8 x count.
 */
size_t columns_encode(const int64_t *value, const int64_t *to, size_t count, unsigned char *bytes,
		      int *planes);
/* The same back; planes: 1 to 8. Sums that overflow wrap. */
void columns_decode(const unsigned char *bytes, int planes, const int64_t *to, size_t count,
		    int64_t *value);

/* What a column's differences are to: the first time in the row, of a second one; NULL: the row
 * before. */
const struct schema_column *columns_to(const struct schema_table *table, int column);
/* A value of a row; of REAL, its bits. */
int64_t columns_get(const void *row, const struct schema_column *column);

#endif
