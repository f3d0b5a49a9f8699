/* SPDX-License-Identifier: MIT */
#include "interval_unseen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interval_ways.h"
#include "sets.h"
#include "traces/base/util.h"

enum { UNSEEN_LEAST = 40 }; /* answers: fewer do not say where one in ten begins */

/* What the answer of then was off by, in half-widths of the interval that its run has among those
 * that were looked at; NaN where it has none. */
static double halves_off(const struct blind_row *b, const struct validation *v,
			 const struct ways *ways, const struct intervals *intervals)
{
	const struct validation_row *now = blind_now(v, b);
	double low, high;
	if (isnan(b->made_us) || !set_within(b->set, "planned") || !now ||
	    !strcmp(now->class_name, "-"))
		return NAN;
	intervals_lookup(intervals, b->set,
			 ways_unfamiliar(ways, (size_t)(now - v->row)) ? INTERVAL_UNFAMILIAR
								       : now->class_name,
			 &low, &high);
	const double off = log(b->measured_us / b->made_us);
	return off > 0 ? off / log1p(high) : off / log1p(low);
}

double interval_unseen_times(const struct blind *blind, const struct validation *v,
			     const struct intervals *intervals, size_t *n)
{
	double *off = xcalloc(blind->count + 1, sizeof(*off)), times = 1;
	struct ways ways;
	*n = 0;
	ways_find(&ways, v);
	for (size_t k = 0; k < blind->count; k++) {
		const double halves = halves_off(&blind->row[k], v, &ways, intervals);
		if (!isnan(halves))
			off[(*n)++] = halves;
	}
	ways_release(&ways);
	if (*n >= UNSEEN_LEAST) {
		const double last = (double)(*n - 1), rank = ceil(0.9 * (double)(*n + 1)) - 1;
		times = quantile_of(off, *n, fmin(rank, last) / last);
	} else {
		*n = 0;
	}
	free(off);
	return times > 1 ? times : 1;
}
