/* SPDX-License-Identifier: MIT */
#include "table_read.h"

#include <stdbool.h>
#include <string.h>

#include "lines.h"
#include "util.h"

enum { MOST_FIELDS = 64, MOST_COLUMNS = 32 };

/* Where each column of the format is, -1: nowhere. */
static int find_columns(const struct table_format *format, char *field[], int count, int column[],
			const char *path)
{
	for (int c = 0; c < format->columns; c++) {
		column[c] = -1;
		for (int f = 0; format->name[c] && f < count; f++)
			column[c] = strcmp(field[f], format->name[c]) ? column[c] : f;
		if (c < format->required && format->name[c] && column[c] < 0)
			return report("%s: there is no column '%s'", path, format->name[c]);
	}
	return 0;
}

int table_read(const char *path, const struct table_format *format,
	       int (*header)(void *context, const struct table_row *row),
	       int (*row)(void *context, const struct table_row *row), void *context)
{
	struct lines lines;
	if (lines_open(&lines, path))
		return -1;
	char *field[MOST_FIELDS], *of[MOST_COLUMNS];
	int rc = 0, more = 0, column[MOST_COLUMNS], fields = 0;
	while (!rc && (more = lines_next(&lines)) > 0) {
		if (lines.text[0] == '#' || lines.text[0] == '\n')
			continue;
		struct table_row now = { of, field, split_tabs(lines.text, field, MOST_FIELDS) };
		const bool first = !fields;
		if (first) {
			fields = now.count;
			rc = find_columns(format, field, fields, column, path);
		}
		for (int c = 0; c < format->columns && !rc && now.count == fields; c++)
			of[c] = column[c] < 0 ? NULL : field[column[c]];
		if (first && !rc && header)
			rc = header(context, &now);
		else if (!first && (now.count != fields || row(context, &now)))
			rc = report("%s:%d: not %s of %d columns", path, lines.number, format->row,
				    fields);
	}
	rc = rc || more < 0 ? -1 : 0;
	if (!rc && !fields)
		rc = report("%s: holds no table of %s", path, format->table);
	lines_close(&lines);
	return rc;
}
