/* SPDX-License-Identifier: MIT
 * A table to be read: columns with names, cells of text, written tab-separated or as an aligned
 * Markdown table.
 */
#ifndef WARPREEL_SHEET_H
#define WARPREEL_SHEET_H

#include <stddef.h>
#include <stdio.h>

struct sheet {
	char *title; /* owned, as everything here */
	char **column;
	size_t column_count, column_capacity;
	char **cell;
	size_t cell_count, cell_capacity; /* row after row */
};

void sheet_init(struct sheet *sheet, const char *title);
void sheet_release(struct sheet *sheet);
/* All columns come before the first cell. */
void sheet_column(struct sheet *sheet, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void sheet_text(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* At least so many significant digits and every digit before the point; '-' for NaN. */
void sheet_number(struct sheet *sheet, double value, int digits);
/* With its sign and one digit after the point; '-' for NaN. */
void sheet_percent(struct sheet *sheet, double value);

/* Header and rows. */
void sheet_write_tsv(const struct sheet *sheet, FILE *out);
void sheet_write_text(const struct sheet *sheet, FILE *out);

#endif
