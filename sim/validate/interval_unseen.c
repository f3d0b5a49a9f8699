/* SPDX-License-Identifier: MIT */
#include "interval_unseen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interval_solver.h"
#include "interval_ways.h"
#include "sets.h"
#include "traces/base/util.h"

/* What the answer of then was off by, in half-widths of the interval that its run has among those
 * that were looked at; NaN where it has none. */
static double halves_off(const struct blind_row *b, const struct validation *v,
			 const struct ways *ways, const struct intervals *intervals)
{
	const struct validation_row *now = blind_now(v, b);
	if (isnan(b->made_us) || !set_within(b->set, "planned") || !now ||
	    !strcmp(now->class_name, "-"))
		return NAN;
	return interval_halves_of(intervals, b->set, now,
				  ways_unfamiliar(ways, (size_t)(now - v->row)),
				  b->measured_us / b->made_us);
}

double interval_unseen_times(const struct blind *blind, const struct validation *v,
			     const struct intervals *intervals, size_t *n)
{
	double *off = xcalloc(blind->count + 1, sizeof(*off));
	struct ways ways;
	*n = 0;
	ways_find(&ways, v);
	for (size_t k = 0; k < blind->count; k++) {
		const double halves = halves_off(&blind->row[k], v, &ways, intervals);
		if (!isnan(halves))
			off[(*n)++] = halves;
	}
	ways_release(&ways);
	const double times = interval_times(off, n);
	free(off);
	return times > 1 ? times : 1;
}
