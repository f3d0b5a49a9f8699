/* SPDX-License-Identifier: MIT
 * A table of measured rows that appears whole, and whose rows are not lost with their program: they
 * go to FILE.so-far as they come, and that becomes FILE at the end.
 */
#ifndef WARPREEL_ROW_FILE_H
#define WARPREEL_ROW_FILE_H

#include <stdio.h>

#include "traces/base/output.h"

struct row_file {
	FILE *file; /* for rows, to be flushed after each; NULL: it could not be begun */
	/* private */
	struct output output;
	const char *path;
	char *so_far; /* NULL: `path` is no file but a pipe, and rows go there */
};

/* What another run left in FILE.so-far is kept as FILE.so-far.1 and so on, which is said. -1 after
 * a message: it cannot be written, or another run is doing so. `path` is borrowed. */
int row_file_begin(struct row_file *rows, const char *path);
/* FILE is replaced, or where it `failed` (negative) the rows stay in FILE.so-far, if there are any.
 * Positive: so many rows could not be made, and a table of none replaces nothing. Also after -1 of
 * begin, and for a zeroed struct. -1 after a message. */
int row_file_end(struct row_file *rows, int failed);

#endif
