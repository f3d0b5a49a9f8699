/* SPDX-License-Identifier: MIT */
#include "published.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/lines.h"
#include "traces/base/util.h"

enum { TABLE, DEVICE, PROBLEM, SIZE, RE, OMEGA, KERNEL, QUANTITY, UNIT, VALUE, COLUMNS };
static const char *const names[COLUMNS] = { "table", "device", "problem",  "size", "re",
					    "omega", "kernel", "quantity", "unit", "value" };

static int read_header(char *field[], int count, const char *path, int number)
{
	for (int c = 0; c < COLUMNS; c++)
		if (c >= count || strcmp(field[c], names[c]))
			return report("%s:%d: column %d is '%s', not '%s'", path, number, c + 1,
				      c < count ? field[c] : "", names[c]);
	return count == COLUMNS
		       ? 0
		       : report("%s:%d: %d columns instead of %d", path, number, count, COLUMNS);
}

static int integer(const char *text, int *value)
{
	int64_t wide;
	if (parse_i64(text, &wide) || wide < 1 || wide > 1 << 20)
		return -1;
	*value = (int)wide;
	return 0;
}

/* Texts are borrowed from the line. */
static bool parse_row(char *field[], struct published_row *row)
{
	*row = (struct published_row){ .device = field[DEVICE],
				       .omega = field[OMEGA],
				       .kernel = field[KERNEL],
				       .quantity = field[QUANTITY],
				       .unit = field[UNIT],
				       .text = field[VALUE] };
	return !integer(field[TABLE], &row->table) && !integer(field[PROBLEM], &row->problem) &&
	       !integer(field[SIZE], &row->size) && !parse_double(field[RE], &row->re) &&
	       !parse_double(field[VALUE], &row->value) && row->value > 0;
}

static void add(struct published *p, const struct published_row *row)
{
	GROW(p->row, p->count, p->capacity);
	struct published_row *own = &p->row[p->count++];
	*own = *row;
	own->device = xstrdup(row->device);
	own->omega = xstrdup(row->omega);
	own->kernel = xstrdup(row->kernel);
	own->quantity = xstrdup(row->quantity);
	own->unit = xstrdup(row->unit);
	own->text = xstrdup(row->text);
}

int published_read(struct published *p, const char *path)
{
	struct lines lines;
	if (lines_open(&lines, path))
		return -1;
	char *field[COLUMNS + 1];
	bool header = false;
	int rc = 0, more = 0;
	while (!rc && (more = lines_next(&lines)) > 0) {
		struct published_row row;
		const int number = lines.number;
		if (lines.text[0] == '#' || lines.text[0] == '\n')
			continue;
		int count = split_tabs(lines.text, field, COLUMNS + 1);
		if (!header) {
			header = true;
			rc = read_header(field, count, path, number);
		} else if (count != COLUMNS || !parse_row(field, &row)) {
			rc = report("%s:%d: not a published number of %d columns", path, number,
				    COLUMNS);
		} else if (published_find(p, &row, row.device, row.kernel, row.quantity)) {
			rc = report("%s:%d: %s of table %d is there already", path, number,
				    row.quantity, row.table);
		} else {
			add(p, &row);
		}
	}
	rc = rc || more < 0 ? -1 : 0;
	if (!rc && !p->count)
		rc = report("%s: holds no published number", path);
	lines_close(&lines);
	return rc;
}

void published_release(struct published *p)
{
	for (size_t k = 0; k < p->count; k++) {
		struct published_row *row = &p->row[k];
		char *text[] = { row->device,	row->omega, row->kernel,
				 row->quantity, row->unit,  row->text };
		for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
			free(text[i]);
	}
	free(p->row);
	*p = (struct published){ 0 };
}

const struct published_row *published_find(const struct published *p,
					   const struct published_row *like, const char *device,
					   const char *kernel, const char *quantity)
{
	for (size_t k = 0; k < p->count; k++) {
		const struct published_row *row = &p->row[k];
		if (row->table == like->table && row->problem == like->problem &&
		    row->size == like->size && row->re <= like->re && row->re >= like->re &&
		    !strcmp(row->device, device) && (!kernel || !strcmp(row->kernel, kernel)) &&
		    !strcmp(row->quantity, quantity))
			return row;
	}
	return NULL;
}
