/* SPDX-License-Identifier: MIT */
#include "timed_launches.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum { COLUMN_KERNEL, COLUMN_POINTS, COLUMN_MEASURED, COLUMN_PLAYED, COLUMN_DEVICE, COLUMN_COUNT };
static const char *const column_name[COLUMN_COUNT] = { "kernel", "points", "measured_ns",
						       "played_ns", "device" };

/* A factor of two in points is one standard deviation. */
static const double WIDTH = 0.69314718055994531;
static const double ITSELF = 0.02; /* logarithms that differ by less are of as many points */

void timed_launches_add(struct timed_launches *t, const char *kernel, int64_t points,
			double measured_ns, double played_ns)
{
	GROW(t->row, t->count, t->capacity);
	t->row[t->count++] = (struct timed_launch){ .kernel = xstrdup(kernel),
						    .points = points,
						    .measured_ns = measured_ns,
						    .played_ns = played_ns };
}

static int add_row(void *context, const struct table_row *row)
{
	struct timed_launches *t = context;
	char **of = row->of;
	int64_t points;
	double measured_ns, played_ns;
	if (!*of[COLUMN_KERNEL] || parse_i64(of[COLUMN_POINTS], &points) || points < 1 ||
	    parse_double(of[COLUMN_MEASURED], &measured_ns) || !(measured_ns > 0) ||
	    parse_double(of[COLUMN_PLAYED], &played_ns) || !(played_ns > 0) ||
	    !isfinite(measured_ns / played_ns) || !(measured_ns / played_ns > 0) ||
	    (t->device && strcmp(t->device, of[COLUMN_DEVICE])))
		return -1;
	if (!t->device)
		t->device = xstrdup(of[COLUMN_DEVICE]);
	timed_launches_add(t, of[COLUMN_KERNEL], points, measured_ns, played_ns);
	return 0;
}

int timed_launches_read(struct timed_launches *t, const char *name)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a launch timed alone (all on one device)",
						    "launches timed alone" };
	*t = (struct timed_launches){ .path = strpbrk(name, "./") ? xstrdup(name)
								  : xprintf("%s/model/timed/%s.tsv",
									    util_root(), name) };
	int rc = table_read(t->path, &format, NULL, add_row, t);
	if (!rc && !t->count)
		rc = report("%s: no launches", t->path);
	if (rc)
		timed_launches_release(t);
	return rc;
}

void timed_launches_release(struct timed_launches *t)
{
	for (size_t k = 0; k < t->count; k++)
		free(t->row[k].kernel);
	free(t->row);
	free(t->path);
	free(t->device);
	*t = (struct timed_launches){ 0 };
}

int timed_launches_write(const struct timed_launches *t, const char *path)
{
	struct output output;
	output_begin(&output, path);
	FILE *out = output_open(&output);
	for (int k = 0; out && k < COLUMN_COUNT; k++)
		fprintf(out, "%s%c", column_name[k], k + 1 < COLUMN_COUNT ? '\t' : '\n');
	for (size_t k = 0; out && k < t->count; k++) {
		const struct timed_launch *l = &t->row[k];
		fprintf(out, "%s\t%" PRId64 "\t%.1f\t%.1f\t%s\n", l->kernel, l->points,
			l->measured_ns, l->played_ns, t->device ? t->device : "unknown");
	}
	if (!out || (fflush(out) | ferror(out) | fclose(out))) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}

bool timed_launches_have(const struct timed_launches *t, const char *kernel)
{
	for (size_t k = 0; k < t->count; k++)
		if (!strcmp(t->row[k].kernel, kernel))
			return true;
	return false;
}

double timed_launches_ratio(const struct timed_launches *t, const char *kernel, int64_t points,
			    bool but_itself)
{
	double weights = 1, sum = 0;
	for (size_t k = 0; points > 0 && k < t->count; k++) {
		const struct timed_launch *l = &t->row[k];
		const double away = log((double)l->points / (double)points);
		if ((but_itself && fabs(away) <= ITSELF) || strcmp(l->kernel, kernel))
			continue;
		const double weight = exp(-away * away / (2 * WIDTH * WIDTH));
		weights += weight;
		sum += weight * log(l->measured_ns / l->played_ns);
	}
	return exp(sum / weights);
}
