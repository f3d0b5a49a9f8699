/* SPDX-License-Identifier: MIT
 * A table of tab-separated columns that are found by name in its first line. Lines that begin with
 * '#' and empty ones are passed over.
 */
#ifndef WARPREEL_TABLE_READ_H
#define WARPREEL_TABLE_READ_H

struct table_format {
	const char *const *name; /* [columns] wanted; NULL: such tables have none */
	int columns, required;	 /* of `columns` the first `required` must be there */
	const char *row, *table; /* for messages: "a measured pair", "measured pairs" */
};

/* A line's fields: borrowed, until the next line. */
struct table_row {
	char **of;    /* by the format's columns; NULL where the table has no such column */
	char **field; /* as they stand */
	int count;
};

/*
 * Calls `row` for every line after the first, and `header` (NULL: nobody) for that: each 0, or -1:
 * a line of which `row` says so is reported by file and number, what `header` finds it has said
 * itself. `path` "-" is standard input. -1 after a message.
 */
int table_read(const char *path, const struct table_format *format,
	       int (*header)(void *context, const struct table_row *row),
	       int (*row)(void *context, const struct table_row *row), void *context);

#endif
