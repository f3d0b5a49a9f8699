/* SPDX-License-Identifier: MIT */
#include "interval_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "splits.h"
#include "traces/base/util.h"

enum { TIMES_LEAST = 40 }; /* answers: fewer do not say where one in ten begins */

double interval_times(double *halves, size_t *n)
{
	if (*n < TIMES_LEAST) {
		*n = 0;
		return 1;
	}
	const double last = (double)(*n - 1), rank = ceil(0.9 * (double)(*n + 1)) - 1;
	return quantile_of(halves, *n, fmin(rank, last) / last);
}

double interval_halves_of(const struct intervals *intervals, const char *set,
			  const struct validation_row *row, bool unfamiliar, double ratio)
{
	double low, high;
	intervals_lookup(intervals, set, unfamiliar ? INTERVAL_UNFAMILIAR : row->class_name, &low,
			 &high);
	interval_of_solver(intervals, row->solver, &low, &high);
	return log(ratio) / log1p(ratio > 1 ? high : low);
}

static bool sets_width(const struct validation_row *row, const char *solver)
{
	return !strcmp(row->solver, solver) && !strcmp(row->model, "default") && *row->family &&
	       set_within(row->set, "planned") && strcmp(row->class_name, "-") != 0 &&
	       !strcmp(row->split, split_name[SPLIT_INTERVAL]);
}

double interval_solver_times(const struct validation *v, const struct ways *ways,
			     const struct intervals *intervals, const char *solver, size_t *n)
{
	double *halves = xcalloc(v->count + 1, sizeof(*halves));
	*n = 0;
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (sets_width(row, solver))
			halves[(*n)++] = interval_halves_of(intervals, row->set, row,
							    ways_unfamiliar(ways, k),
							    row->measured_us / row->predicted_us);
	}
	const double times = interval_times(halves, n);
	free(halves);
	return times;
}
