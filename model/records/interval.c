/* SPDX-License-Identifier: MIT */
#include "interval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

int intervals_read(struct intervals *intervals, const char *platform_name)
{
	memset(intervals, 0, sizeof(*intervals));
	char *path = xprintf("%s/model/intervals/%s.tsv", util_root(), platform_name), line[512];
	FILE *file = fopen(path, "r");
	int number = 0, rc = 0;
	while (file && !rc && fgets(line, sizeof(line), file)) {
		struct interval_row row;
		if (++number == 1 || line[0] == '#')
			continue;
		if (sscanf(line, "%15s\t%255s\t%lf\t%lf\t%d", row.set, row.class_name, &row.low,
			   &row.high, &row.points) != 5 ||
		    row.low > 0 || row.low <= -1 || row.high < 0) {
			rc = report("%s:%d: not an interval: set, class, low, high, points", path,
				    number);
			break;
		}
		GROW(intervals->row, intervals->count, intervals->capacity);
		intervals->row[intervals->count++] = row;
	}
	if (file)
		fclose(file);
	free(path);
	return rc;
}

void intervals_release(struct intervals *intervals)
{
	free(intervals->row);
	memset(intervals, 0, sizeof(*intervals));
}

/* [host, mixed or kernel-bound][kernel times from recordings or from the device's inside] */
typedef const char *classes[3][2];

/* What the classes' names mean (docs/numbers.md): kernels ran for more than this part of the core
 * loop; the rest of it is the host's. Widths are fitted to rows in these classes, not these to
 * rows. */
static const double IN_KERNELS = 0.7, ON_HOST = 0.3;

const char *interval_class(int gpus, const char *transport, double kernel_share,
			   const char *kernel_model)
{
	static const classes single = { { "single-host", "single-host" },
					{ "single-host", "single-host" },
					{ "single-kernel", "single-kernel-warps" } };
	static const classes host = { { "host-host", "host-host" },
				      { "host-mixed", "host-mixed-warps" },
				      { "host-kernel", "host-kernel-warps" } };
	static const classes peer = { { "peer-host", "peer-host" },
				      { "peer-mixed", "peer-mixed-warps" },
				      { "peer-kernel", "peer-kernel-warps" } };
	const classes *of = gpus == 1				      ? &single
			    : transport && !strcmp(transport, "host") ? &host
								      : &peer;
	return (*of)[kernel_share > IN_KERNELS ? 2 : kernel_share > ON_HOST]
		    [kernel_model && !strcmp(kernel_model, "warps")];
}

const char *interval_class_foreign(double kernel_share)
{
	return kernel_share > IN_KERNELS ? "foreign-kernel" : "foreign-host";
}

void interval_class_played(const char *class_name, char played[INTERVAL_CLASS_BYTES])
{
	static const char suffix[] = "-warps";
	const size_t length = strlen(class_name), end = strlen(suffix);
	const bool warps = length > end && !strcmp(class_name + length - end, suffix);
	snprintf(played, INTERVAL_CLASS_BYTES, "%.*s%s", (int)(warps ? length - end : length),
		 class_name, warps ? "-played" : "");
}

bool intervals_familiar(const struct intervals *intervals, const char *way)
{
	bool told = false;
	for (size_t k = 0; k < intervals->count; k++) {
		const struct interval_row *row = &intervals->row[k];
		if (strcmp(row->set, INTERVAL_FAMILIAR) != 0)
			continue;
		if (!strcmp(row->class_name, way))
			return true;
		told = true;
	}
	return !told;
}

double intervals_unseen(const struct intervals *intervals)
{
	for (size_t k = 0; k < intervals->count; k++)
		if (!strcmp(intervals->row[k].set, INTERVAL_UNSEEN) && intervals->row[k].high > 1)
			return intervals->row[k].high;
	return 1;
}

static const struct interval_row *find(const struct intervals *intervals, const char *set,
				       const char *class_name)
{
	for (size_t k = 0; k < intervals->count; k++)
		if (!strcmp(intervals->row[k].set, set) &&
		    !strcmp(intervals->row[k].class_name, class_name))
			return &intervals->row[k];
	return NULL;
}

void interval_widen(double times, double *low, double *high)
{
	*low = expm1(times * log1p(*low));
	*high = expm1(times * log1p(*high));
}

void interval_of_solver(const struct intervals *intervals, const char *solver, double *low,
			double *high)
{
	const struct interval_row *row = find(intervals, INTERVAL_SOLVER, solver);
	if (!row)
		return;
	interval_widen(row->high, low, high);
	*low = fmin(*low, -INTERVAL_LEAST);
	*high = fmax(*high, INTERVAL_LEAST);
}

bool intervals_have(const struct intervals *intervals, const char *set, const char *class_name)
{
	return find(intervals, set, class_name) != NULL;
}

void intervals_lookup(const struct intervals *intervals, const char *set, const char *class_name,
		      double *low, double *high)
{
	double widest_low = 0, widest_high = 0;
	if (!intervals->count && intervals->low < 0) {
		*low = intervals->low;
		*high = intervals->high;
		return;
	}
	const struct interval_row *known = find(intervals, set, class_name);
	if (known) {
		*low = known->low;
		*high = known->high;
		return;
	}
	for (size_t k = 0; k < intervals->count; k++) {
		const struct interval_row *row = &intervals->row[k];
		if (strcmp(row->set, set))
			continue;
		widest_low = row->low < widest_low ? row->low : widest_low;
		widest_high = row->high > widest_high ? row->high : widest_high;
	}
	const double low_most = widest_low < 0 ? widest_low : -INTERVAL_MOST,
		     high_most = widest_high > 0 ? widest_high : INTERVAL_MOST;
	const double cut = high_most - low_most > 2 * INTERVAL_MOST
				   ? 2 * INTERVAL_MOST / (high_most - low_most)
				   : 1;
	*low = low_most * cut;
	*high = high_most * cut;
}
