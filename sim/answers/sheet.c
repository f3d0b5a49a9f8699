/* SPDX-License-Identifier: MIT */
#include "sheet.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/text_show.h"
#include "traces/base/util.h"

void sheet_init(struct sheet *s, const char *title)
{
	*s = (struct sheet){ .title = xstrdup(title) };
}

void sheet_release(struct sheet *s)
{
	for (size_t k = 0; k < s->column_count; k++)
		free(s->column[k]);
	for (size_t k = 0; k < s->cell_count; k++)
		free(s->cell[k]);
	free(s->column);
	free(s->cell);
	free(s->title);
	*s = (struct sheet){ 0 };
}

void sheet_column(struct sheet *s, const char *format, ...)
{
	va_list arguments;
	assert(!s->cell_count);
	GROW(s->column, s->column_count, s->column_capacity);
	va_start(arguments, format);
	s->column[s->column_count++] = xvprintf(format, arguments);
	va_end(arguments);
}

void sheet_text(struct sheet *s, const char *format, ...)
{
	va_list arguments;
	GROW(s->cell, s->cell_count, s->cell_capacity);
	va_start(arguments, format);
	char *text = xvprintf(format, arguments);
	va_end(arguments);
	/* Some are names out of measured tables. */
	char *shown = xmalloc(strlen(text) * TEXT_SHOW_BYTES + 1);
	text_escape(shown, text, "\\");
	s->cell[s->cell_count++] = shown;
	free(text);
}

void sheet_number(struct sheet *s, double value, int digits)
{
	int before = value > 0 ? (int)floor(log10(value)) + 1 : 1;
	if (isnan(value))
		sheet_text(s, "-");
	else
		sheet_text(s, "%.*f", before < digits ? digits - before : 0, value);
}

void sheet_percent(struct sheet *s, double value)
{
	if (isnan(value))
		sheet_text(s, "-");
	else
		sheet_text(s, "%+.1f", value);
}

static void write_rows(const struct sheet *s, FILE *out)
{
	assert(s->cell_count % s->column_count == 0);
	for (size_t k = 0; k < s->cell_count; k++)
		fprintf(out, "%s%c", s->cell[k], (k + 1) % s->column_count ? '\t' : '\n');
}

void sheet_write_tsv(const struct sheet *s, FILE *out)
{
	for (size_t c = 0; c < s->column_count; c++)
		fprintf(out, "%s%c", s->column[c], c + 1 < s->column_count ? '\t' : '\n');
	write_rows(s, out);
}

/* Columns that hold only numbers and '-' are set to the right. */
static int is_number(const char *cell)
{
	char *end;
	if (!strcmp(cell, "-"))
		return 1;
	strtod(cell, &end);
	return end != cell && !*end;
}

static void write_line(const struct sheet *s, char *const cells[], const size_t *width,
		       const int *right, FILE *out)
{
	for (size_t c = 0; c < s->column_count; c++)
		fprintf(out, right[c] ? "| %*s " : "| %-*s ", (int)width[c], cells[c]);
	fprintf(out, "|\n");
}

void sheet_write_text(const struct sheet *s, FILE *out)
{
	size_t columns = s->column_count, *width = xcalloc(columns, sizeof(*width));
	int *right = xcalloc(columns, sizeof(*right));
	char **head = xcalloc(columns, sizeof(*head)); /* may break between words */
	for (size_t c = 0; c < columns; c++) {
		head[c] = xstrdup(s->column[c]);
		for (char *at = head[c]; (at = strchr(at, '_'));)
			*at = ' ';
		width[c] = strlen(s->column[c]) < 2 ? 2 : strlen(s->column[c]);
		right[c] = 1;
		for (size_t k = c; k < s->cell_count; k += columns) {
			width[c] = strlen(s->cell[k]) > width[c] ? strlen(s->cell[k]) : width[c];
			right[c] &= is_number(s->cell[k]);
		}
	}
	write_line(s, head, width, right, out);
	for (size_t c = 0; c < columns; c++) {
		fputs(right[c] ? "|" : "|-", out);
		for (size_t k = 0; k < width[c]; k++)
			fputc('-', out);
		fputs(right[c] ? "-:" : "-", out);
	}
	fprintf(out, "|\n");
	for (size_t k = 0; k < s->cell_count; k += columns)
		write_line(s, s->cell + k, width, right, out);
	for (size_t c = 0; c < columns; c++)
		free(head[c]);
	free(head);
	free(width);
	free(right);
}
