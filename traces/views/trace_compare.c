/* SPDX-License-Identifier: MIT */
#include "trace_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

double compare_percent(double a, double b)
{
	return a > 0 ? 100.0 * (b - a) / a : NAN;
}

static const struct summary_line *find(const struct summary *summary,
				       const struct summary_line *like)
{
	for (size_t i = 0; i < summary->line_count; i++)
		if (summary->line[i].kind == like->kind &&
		    strcmp(summary->line[i].name, like->name) == 0)
			return &summary->line[i];
	return NULL;
}

size_t trace_compare(const struct summary *a, const struct summary *b, struct compare_line **lines)
{
	size_t count = 0;

	*lines = xcalloc(a->line_count + b->line_count + 1, sizeof(**lines));
	for (int kind = 0; kind < SUMMARY_KIND_COUNT; kind++) {
		for (size_t i = 0; i < a->line_count; i++)
			if ((int)a->line[i].kind == kind)
				(*lines)[count++] =
					(struct compare_line){ &a->line[i], find(b, &a->line[i]) };
		for (size_t i = 0; i < b->line_count; i++)
			if ((int)b->line[i].kind == kind && !find(a, &b->line[i]))
				(*lines)[count++] = (struct compare_line){ NULL, &b->line[i] };
	}
	return count;
}
