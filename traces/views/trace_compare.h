/* SPDX-License-Identifier: MIT
 * Two traces side by side.
 */
#ifndef WARPREEL_TRACE_COMPARE_H
#define WARPREEL_TRACE_COMPARE_H

#include "trace_summary.h"

struct compare_line {
	const struct summary_line *a, *b; /* one may be NULL: only the other trace has it */
};
/* Lines of both summaries by kind and name, in the order of a, what only b has after that. Returns
 * how many; *lines is the caller's. */
size_t trace_compare(const struct summary *a, const struct summary *b, struct compare_line **lines);
/* What b differs from a, in percent of a; NaN when it cannot be said. */
double compare_percent(double a, double b);

#endif
