/* SPDX-License-Identifier: MIT */
#include "text_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/lines.h"
#include "traces/base/util.h"

enum { MOST_COLUMNS = 32 };

int text_table_read(struct text_table *f, const char *folder, const char *name)
{
	*f = (struct text_table){ .path = xprintf("%s/traces/data/%s/%s", util_root(), folder,
						  name) };
	struct lines lines;
	if (lines_open(&lines, f->path))
		return -1;
	char *field[MOST_COLUMNS + 1];
	int rc = 0, more = 0;
	while (!rc && (more = lines_next(&lines)) > 0) {
		if (lines.text[0] == '#' || lines.text[0] == '\n')
			continue;
		const int count = split_tabs(lines.text, field, MOST_COLUMNS + 1);
		if (!f->columns)
			f->columns = (size_t)count;
		else if ((size_t)count != f->columns)
			rc = report("%s:%d: %d columns instead of %zu", f->path, lines.number,
				    count, f->columns);
		for (int c = 0; c < count && !rc; c++) {
			GROW(f->cell, f->count, f->capacity);
			f->cell[f->count++] = xstrdup(field[c]);
		}
	}
	rc = rc || more < 0 ? -1 : 0;
	if (!rc && f->count <= f->columns)
		rc = report("%s: holds no row", f->path);
	f->rows = f->columns ? f->count / f->columns - 1 : 0;
	lines_close(&lines);
	return rc;
}

void text_table_release(struct text_table *f)
{
	for (size_t k = 0; k < f->count; k++)
		free(f->cell[k]);
	free(f->cell);
	free(f->path);
	*f = (struct text_table){ 0 };
}

const char *text_table_cell(const struct text_table *f, size_t row, const char *column)
{
	for (size_t c = 0; c < f->columns; c++)
		if (!strcmp(f->cell[c], column))
			return f->cell[(row + 1) * f->columns + c];
	return NULL;
}

long text_table_find(const struct text_table *f, const char *const *keys)
{
	for (size_t row = 0; row < f->rows; row++) {
		bool all = true;
		for (const char *const *key = keys; *key && all; key++) {
			const char *equals = strchr(*key, '=');
			char *name = xprintf("%.*s", (int)(equals - *key), *key);
			const char *cell = text_table_cell(f, row, name);
			all = cell && !strcmp(cell, equals + 1);
			free(name);
		}
		if (all)
			return (long)row;
	}
	return -1;
}
