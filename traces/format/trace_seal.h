/* SPDX-License-Identifier: MIT
 * What a trace's tables held when they were written: WARPREEL_TABLES has how many rows, and a
 * checksum of them, so that a table that lost a row or was changed is told from one that never had
 * it. It guards against accidents, not against somebody who writes a new checksum, too.
 */
#ifndef WARPREEL_TRACE_SEAL_H
#define WARPREEL_TRACE_SEAL_H

#include <sqlite3.h>

#include "trace.h"

/* Notes all tables of a database that is written; -1: see sqlite3_errmsg. */
int trace_seal_write(sqlite3 *db);
/* Reads the trace's file again and sets trace->altered_tables, after a message for each. A file
 * without the table, of an older program or a foreign one, is as it is. -1 after a message. */
int trace_seal_check(struct trace *trace, int64_t max_bytes);

#endif
