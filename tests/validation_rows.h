/* SPDX-License-Identifier: MIT
 * Rows of a validation table for tests of what is made of them.
 */
#ifndef WARPREEL_TESTS_VALIDATION_ROWS_H
#define WARPREEL_TESTS_VALIDATION_ROWS_H

#include "sim/validate/validation.h"

static inline void add_row(struct validation *v, const char *set, const char *split,
			   const char *model, const char *class_name, double measured,
			   double predicted, double half_width)
{
	GROW(v->row, v->count, v->capacity);
	struct validation_row *row = &v->row[v->count++];
	*row = (struct validation_row){ .solver = xstrdup("rbsor"),
					.config = xstrdup("size=8x8"),
					.inputs = xstrdup("p.ini"),
					.gpus = 2,
					.measured_us = measured,
					.predicted_us = predicted,
					.error_pct = 100 * (predicted - measured) / measured,
					.lo_us = predicted * (1 - half_width),
					.hi_us = predicted * (1 + half_width) };
	snprintf(row->set, sizeof(row->set), "%s", set);
	snprintf(row->split, sizeof(row->split), "%s", split);
	snprintf(row->model, sizeof(row->model), "%s", model);
	snprintf(row->class_name, sizeof(row->class_name), "%s", class_name);
}

/* What `write` makes of the rows, to be freed. */
static inline char *written(const struct validation *v,
			    void (*write)(const struct validation *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	write(v, file);
	fclose(file);
	return text;
}

#endif
