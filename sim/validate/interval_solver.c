/* SPDX-License-Identifier: MIT */
#include "interval_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "splits.h"
#include "traces/base/util.h"

double interval_times(double *halves, size_t n)
{
	const double last = (double)(n - 1), rank = ceil(0.9 * (double)(n + 1)) - 1;
	return n > 1 ? quantile_of(halves, n, fmin(rank, last) / last) : halves[0];
}

double interval_halves_of(const struct intervals *intervals, const char *set,
			  const struct validation_row *row, bool unfamiliar, double ratio)
{
	double low, high;
	intervals_lookup(intervals, set, unfamiliar ? INTERVAL_UNFAMILIAR : row->class_name, &low,
			 &high);
	interval_of_solver(intervals, row->solver, &low, &high);
	return interval_halves_off(ratio, 1, low, high);
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
	double *halves = xcalloc(v->count + 1, sizeof(*halves)), times = 1;
	*n = 0;
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		if (sets_width(row, solver))
			halves[(*n)++] = interval_halves_of(intervals, row->set, row,
							    ways_unfamiliar(ways, k),
							    row->measured_us / row->predicted_us);
	}
	if (*n >= INTERVAL_TIMES_LEAST)
		times = interval_times(halves, *n);
	else
		*n = 0;
	free(halves);
	return times;
}
