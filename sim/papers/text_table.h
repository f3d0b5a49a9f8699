/* SPDX-License-Identifier: MIT
 * A shipped table, whole, as texts: what the tables of papers are made from.
 */
#ifndef WARPREEL_TEXT_TABLE_H
#define WARPREEL_TEXT_TABLE_H

#include <stddef.h>

struct text_table {
	char **cell;	      /* row after row, owned; the first row names the columns */
	size_t columns, rows; /* rows: without the first */
	size_t count, capacity;
	char *path; /* owned */
};
/* -1 after a message naming file and line. `folder` is beneath traces/data. */
int text_table_read(struct text_table *file, const char *folder, const char *name);
void text_table_release(struct text_table *file);
/* NULL: no such column. */
const char *text_table_cell(const struct text_table *file, size_t row, const char *column);
/* The first row in which the columns named have these values ("a=b", NULL ends); -1: none. */
long text_table_find(const struct text_table *file, const char *const *keys);

#endif
